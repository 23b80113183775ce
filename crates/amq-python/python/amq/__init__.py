"""Approximate-membership filters: small, fast sets that answer "definitely not in" or "probably in".

>>> from amq import BloomFilter
>>> seen = BloomFilter(1_000_000, 0.01)
>>> seen.add("https://example.org/")
True
>>> "https://example.org/" in seen
True
>>> "https://example.org/new" in seen
False
"""

from . import _amq
from ._amq import *  # noqa: F403
from ._amq import BloomFilter as Bloom  # the name that rbloom has for it

__version__ = _amq.__version__
__all__ = [name for name in _amq.__all__ if not name.startswith("_")] + ["Bloom"]
