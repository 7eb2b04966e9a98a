"""The passes, each Epilogue → Epilogue, and the last one Epilogue → Plan."""
