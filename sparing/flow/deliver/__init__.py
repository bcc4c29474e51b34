"""Delivery at the subscriber's broker: results of windows, digests, payloads and ids of notifications.

`results` computes windows, `count_windows` and `digest` are the other kinds; `payload` and `json_columns` write JSON,
`variant` writes Spark's VARIANT, `identity` has the ids, `notifications` the records.
"""
