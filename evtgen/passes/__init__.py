"""Passes: one function Epilogue → Epilogue in each module, in the order of :data:`evtgen.passes.manager.PASSES`."""
