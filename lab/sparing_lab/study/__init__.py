"""Studies: a paper's tables and figures, measured again. One package per paper: settings -> rows -> figures."""
