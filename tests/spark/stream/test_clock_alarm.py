"""Alarms about clocks come at 10, 100, 1,000 ... rows of a publisher, and not more often."""

from sparing.spark.stream.clock_alarm import Alarm, ClockAlarms


def test_late_and_future_rows_count_together():
    alarms = ClockAlarms()
    assert alarms.count({("p1", "late"): 6, ("p2", "late"): 9}) == []
    assert alarms.count({("p1", "from the future"): 4}) == [Alarm("p1", 6, 4)]
    assert alarms.totals() == {("p1", "late"): 6, ("p1", "from the future"): 4}
    assert alarms.count({}) == []
    assert alarms.count({("p1", "late"): 5_000, ("p2", "late"): 1}) == [Alarm("p1", 5_006, 4), Alarm("p2", 10, 0)]
    assert alarms.count({("p1", "late"): 4_989}) == []
    assert alarms.count({("p1", "late"): 1}) == [Alarm("p1", 9_996, 4)]
