"""The highways of a city: roads, directions, and sensors by district."""

from __future__ import annotations

from typing import NamedTuple

ROADS = ("401", "400", "404", "427", "QEW", "DVP", "Gardiner")
EAST_WEST = frozenset({"401", "QEW", "Gardiner"})
DISTRICTS = 9
SENSORS_PER_DISTRICT = 18


class Sensor(NamedTuple):
    """A sensor that counts the traffic of a road in one direction."""

    name: str
    road: str
    direction: str
    district: int


def sensors() -> list[Sensor]:
    """Return the 162 sensors: 54 along the 401, 18 along each other road; every district has 18, on one or two roads.

    >>> sensors()[0]
    Sensor(name='401-E01', road='401', direction='E', district=0)
    """
    found: list[Sensor] = []
    for road in ROADS:
        count = SENSORS_PER_DISTRICT * (3 if road == "401" else 1)
        for n in range(count):
            direction = ("EW" if road in EAST_WEST else "NS")[n % 2]
            # Districts are shifted by a third against the roads, so roads cross from one into the next.
            district = (len(found) + SENSORS_PER_DISTRICT // 3) // SENSORS_PER_DISTRICT % DISTRICTS
            found.append(Sensor(f"{road}-{direction}{n // 2 + 1:02}", road, direction, district))
    return found
