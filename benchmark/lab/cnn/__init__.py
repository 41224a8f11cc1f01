"""The shared CNN on images."""
