"""Plans in numbers, for `sparing plan`: `plan_summary` (routing) with `mark_summary`, `fold_summary`, `merge_summary`.

The fields of the summaries are the keys of the JSON output.
"""
