"""The fault matrix: faults that are done to streams, what is promised, and what happens."""
