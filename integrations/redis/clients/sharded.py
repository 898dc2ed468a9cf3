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


class ShardedFilter:
    def __init__(self, client, name, n_shards, family="BF"):
        self.client, self.name, self.n_shards = client, name, n_shards
        self.add_command = ["BF.MADD"] if family == "BF" else ["CF.INSERT"]
        self.items_word = [] if family == "BF" else ["ITEMS"]
        self.exists_command = f"{family}.MEXISTS"

    def key(self, shard):
        return f"{self.name}:{{{shard}}}"

    def reserve(self, error_rate, capacity):
        """Each shard for its part of the items and a little more: shares are not quite equal."""
        mean = capacity / self.n_shards
        for shard in range(self.n_shards):
            self.client.execute_command("BF.RESERVE", self.key(shard), error_rate,
                                        int(mean + 4 * mean ** 0.5) + 1)

    def _each(self, command, word, items):
        answers = [False] * len(items)
        groups = {}
        for i, item in enumerate(items):
            groups.setdefault(shard_of(item, self.n_shards), []).append(i)
        for shard, places in groups.items():
            reply = self.client.execute_command(command, self.key(shard), *word,
                                                *[items[i] for i in places])
            for i, answer in zip(places, reply):
                answers[i] = answer == 1
        return answers

    def add(self, items):
        return self._each(*self.add_command, self.items_word, items)

    def exists(self, items):
        return self._each(self.exists_command, [], items)
