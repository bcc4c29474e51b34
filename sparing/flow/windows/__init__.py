"""The walk of held publications: window ranges (NWRs) are decided link by link, in event time."""
