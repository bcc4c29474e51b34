"""Delivery trees and attachment: `shared_tree`, `attachment`, and the methods `do` and `ds` (with `unique_range`)."""
