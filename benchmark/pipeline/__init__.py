"""What the workflows do with pull requests and results; scripts wire it, workflows wire the scripts."""
