"""Plans in numbers: what `sparing plan` shows of routing, markings, folds and merged topics."""
