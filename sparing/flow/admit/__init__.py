"""Admission: rows become publications, or go to quarantine with a reason."""
