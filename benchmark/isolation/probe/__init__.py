"""What a sandbox is tried with before it holds an entry: `method.py` is run inside it as an entry is."""
