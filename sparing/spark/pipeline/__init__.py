"""The pipeline: admit, match, walk and unpack stages, and the values that they exchange."""
