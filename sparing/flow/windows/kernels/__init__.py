"""The compiled walk: publications travel through the brokers as numbers in arrays."""
