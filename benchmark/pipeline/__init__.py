"""What the workflows do, as code that runs and is tested on any machine."""
