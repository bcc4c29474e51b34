"""Admission: `admission` checks rows, which become `publications` or go to quarantine with a reason."""
