# SPDX-License-Identifier: MIT
"""One set over many keys, and so over all masters of a cluster: the rule of README.md, for redis-py.

    words = ShardedFilter(cluster, "words", 64)
    words.add(["robin", "wren"])
    words.exists(["robin", "ostrich"])    # [True, False]

An item belongs to the key NAME:{I}, with I = CRC-16 of its bytes modulo the number of shards. That is
the checksum that clusters choose slots by: CCITT's polynomial, beginning with 0 (XMODEM)."""

from binascii import crc_hqx


def shard_of(item, n_shards):
    data = item if isinstance(item, bytes) else str(item).encode()
    return crc_hqx(data, 0) % n_shards


class Refused(Exception):
    """A shard is full: not all items were added."""


class ShardedFilter:
    def __init__(self, client, name, n_shards, family="BF"):
        self.client, self.name, self.n_shards, self.family = client, name, n_shards, family

    def key(self, shard):
        return f"{self.name}:{{{shard}}}"

    def reserve(self, error_rate, capacity):
        """Each shard for its part of the items and a little more: shares are not quite equal."""
        mean = capacity / self.n_shards
        for shard in range(self.n_shards):
            share = int(mean + 4 * mean ** 0.5) + 1
            options = [error_rate, share] if self.family == "BF" else [share, "ERROR", error_rate]
            self.client.execute_command(f"{self.family}.RESERVE", self.key(shard), *options)

    def _each(self, command, items, *words):
        answers = [False] * len(items)
        groups = {}
        for i, item in enumerate(items):
            groups.setdefault(shard_of(item, self.n_shards), []).append(i)
        for shard, places in groups.items():
            reply = self.client.execute_command(command, self.key(shard), *words,
                                                *[items[i] for i in places])
            # a full BF ends its answer with an error, a full CF answers -1
            if isinstance(reply[-1], Exception) or -1 in reply:
                raise Refused(f"{self.key(shard)} is full: {reply[-1]}")
            for i, answer in zip(places, reply):
                answers[i] = answer == 1
        return answers

    def add(self, items):
        """For each whether it is new; Refused if a shard has no room."""
        if self.family == "BF":
            return self._each("BF.MADD", items)
        return self._each("CF.INSERT", items, "ITEMS")

    def exists(self, items):
        return self._each(f"{self.family}.MEXISTS", items)
