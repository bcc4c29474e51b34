"""The deployment file: read, checked, turned into the model."""
