"""The classes of the kinds, as the tests go through them."""

import amq

ALL = [
    value
    for name, value in sorted(vars(amq).items())
    if isinstance(value, type) and issubclass(value, amq.Filter) and isinstance(getattr(value, "kind", None), str)
]
ALL = sorted(set(ALL), key=lambda kind: kind.__name__)
INSERT = [kind for kind in ALL if issubclass(kind, amq.InsertFilter)]
REMOVE = [kind for kind in ALL if issubclass(kind, amq.RemoveFilter)]
STATIC = [kind for kind in ALL if issubclass(kind, amq.StaticFilter)]
BLOOM = [amq.BloomFilter, amq.BlockedBloomFilter, amq.WideBlockedBloomFilter]
MERGE = [kind for kind in INSERT if kind is not amq.ExpandableQuotientFilter]


def name(kind):
    return kind.__name__
