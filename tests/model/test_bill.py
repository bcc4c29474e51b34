"""What parts of a bill count."""

from sparing.model.bill import Bill, BillKey, MessageKind


def test_every_kind_is_counted_where_it_belongs():
    bill = Bill({BillKey("a", "b", kind, None): 10**at for at, kind in enumerate(MessageKind)})
    assert [kind.value for kind in MessageKind] == [
        *("advertisement", "subscription", "channel", "coordination"),
        *("publication", "false_positive", "result", "merged", "notification"),
    ]
    assert bill.messages() == 111_011_111  # a false positive is a publication, which is there already
    assert bill.over_links().total() == 11_011_111
    assert bill.between_brokers() == bill.over_links().between_brokers() == 11_010_000
