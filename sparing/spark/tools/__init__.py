"""Tools over traces and checkpoints: `explain`, `explain_choice`, `explain_event`, `compare`, `inspect`, `repair`."""
