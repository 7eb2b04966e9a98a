"""From a Plan to files: render.py says what is in them, files.py what may be written, transaction.py how."""
