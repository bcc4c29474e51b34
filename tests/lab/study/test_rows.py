"""Rows of every study survive a CSV file, with the columns of earlier runs."""

from dataclasses import replace

import pytest

from sparing_lab.commands.study import NAMES
from tests.lab.study.mna.rows import TINY, row
from tests.lab.study.studies import made_up, module

COLUMNS = {
    "mna": "workload,rate,subscriptions,window,slide,duration,seed,policy,publications,selectivity,messages,"
    "for_aggregation,results,notifications,matching_seconds,walk_seconds",
    "topk": "subscriptions,narrowest,widest,k,method,seed,distance,what,value",
    "matchmaker": "publishers,subscribers,rounding,trees,sample,links,pub_e,sub_e,mcm,unmonotone,entangled,valid,"
    "printed,s_repaired,p_repaired,parted",
    "mefa": "kind,nodes,subscribers,average,distribution,sample,tree,target,method,theta,told,possible,benefit,cost,"
    "moved,changes,reconfigured,false",
    "caeva": "kind,shape,brokers,who,publishers,redundancy,reports,cycle,subscribing,phase,sample,method,events,made,"
    "redundant,siena,up,down,coordination,full,delay,hops,moves",
}


@pytest.mark.parametrize("name", NAMES)
def test_rows_survive_csv(name):
    kind, rows = module(name, "study").STUDY.row, made_up(name).rows
    text = kind.to_csv(rows)
    assert text.splitlines()[0] == COLUMNS[name]
    assert len(text.splitlines()) == 1 + len(rows)
    assert kind.from_csv(text) == rows
    assert kind.of(rows[0].flat()) == rows[0]


def test_numbers_keep_all_their_digits():
    odd = replace(row(TINY.with_ratio(1.5), "wad"), walk_seconds=0.1 + 0.2, selectivity=1 / 3)
    assert type(odd).from_csv(type(odd).to_csv([odd])) == [odd]
