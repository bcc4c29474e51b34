"""Delivery at the subscriber's broker: results of windows, digests, payloads and ids of notifications.

`results` computes windows, `count_windows` and `digest` are the other kinds; payloads are columns (`nested`), which
`json_columns` and `payload` write as JSON and `variant` as Spark's VARIANT; `identity` has the ids, `notifications` the
records.
"""
