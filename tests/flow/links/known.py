"""The link policies by name."""

from sparing.flow.links import POLICIES
from sparing.model.policy import DecisionRule

ADOCK = POLICIES[DecisionRule.ADOCK]
BAT = POLICIES[DecisionRule.BAT]
PATIENCE = POLICIES[DecisionRule.PATIENCE]
PUBLISHER_EDGE = POLICIES[DecisionRule.PUBLISHER_EDGE]
STATIC = POLICIES[DecisionRule.STATIC]
SUBSCRIBER_EDGE = POLICIES[DecisionRule.SUBSCRIBER_EDGE]
WAD = POLICIES[DecisionRule.WAD]
WAD_LIVE = POLICIES[DecisionRule.WAD_LIVE]
