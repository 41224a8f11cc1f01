"""The laboratory of the numeric fingerprint."""
