"""What a link does with what waits on it: one policy per file, one signature."""
