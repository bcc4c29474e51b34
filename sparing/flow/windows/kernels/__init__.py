"""The compiled walk: publications cross the overlay as numbers in arrays.

Read `arrays` first, which defines them, then `run`, the loop over event time. `travel` moves publications and `places`
has their places. `nwrs` numbers the NWRs, `topic_links` the links, and `build` makes the arrays of both. `graph` lists
the matching graph of a link, and `apart` records messages to other processes.
"""
