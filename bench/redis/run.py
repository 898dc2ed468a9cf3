#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/redis/run.py [--module FILE] [--items N] [--rounds N] [--limits]: the Redis module beside
Redis' own sets, on one server, round after round. Prints the server's CPU time for each item asked for
(parsing and replying included), and the memory of an item as MEMORY USAGE tells it. With --limits
instead: how much work single commands make, on a cuckoo filter that was grown to N items."""

import argparse
import os
import statistics
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def cpu(client):
    """Seconds of CPU time of the server's main thread."""
    info = client("INFO", "cpu").decode()
    fields = dict(line.split(":") for line in info.split("\r\n") if ":" in line)
    return float(fields["used_cpu_user_main_thread"]) + float(fields["used_cpu_sys_main_thread"])


def limits(server, n):
    """The CPU time of commands that could be long, and of the longest step of CF.COMPACT."""
    from server import groups
    r = server.client()

    def work(name, *command):
        before = cpu(r)
        r(*command)
        print(f"{name:52} {(cpu(r) - before) * 1000:7.1f} ms")

    longest = 0
    for group in groups(range(n), 5000):
        before = cpu(r)
        r("CF.INSERT", "cf", "ITEMS", *group)
        longest = max(longest, cpu(r) - before)
    print(f"server CPU time, a cuckoo filter of {n} items, {r('CF.INFO', 'cf')[5]} tables\n")
    print(f"{'the longest CF.INSERT of 5,000 items on the way there':52} {longest * 1000:7.1f} ms")
    work("CF.INSERT of 140,000 copies of one item", "CF.INSERT", "cf", "ITEMS", *["copy"] * 140000)
    work("CF.INSERT of 140,000 items", "CF.INSERT", "cf", "ITEMS", *[f"new:{i}" for i in range(140000)])
    work("CF.INSERTNX of the same", "CF.INSERTNX", "cf", "ITEMS", *[f"new:{i}" for i in range(140000)])
    work("CF.MEXISTS of 140,000 items", "CF.MEXISTS", "cf", *[f"no:{i}" for i in range(140000)])
    work("BF.RESERVE of 90 million items, 114 MiB", "BF.RESERVE", "large", "0.01", 90000000)
    r("DEL", "large")
    for group in groups(range(n * 4 // 5), 5000):
        r.many([("CF.DEL", "cf", i) for i in group])
    before = r("CF.INFO", "cf")[5]
    r("CF.COMPACT", "cf")
    longest, quiet, last = 0, 0, cpu(r)
    while quiet < 200:  # a step comes every 2 ms, as long as there are any
        now = cpu(r)
        longest, quiet, last = max(longest, now - last), 0 if now - last > .001 else quiet + 1, now
    print(f"{'the longest step of CF.COMPACT':52} {longest * 1000:7.1f} ms")
    print(f"({before} tables before, {r('CF.INFO', 'cf')[5]} after)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--module", default=os.path.join(TOP, "build", "release", "lib", "ninho_redis.so"))
    parser.add_argument("--items", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--limits", action="store_true")
    options = parser.parse_args()
    os.environ["NINHO_REDIS_MODULE"] = os.path.abspath(options.module)
    sys.path.insert(0, os.path.join(TOP, "tests", "redis"))
    from server import Client, Server, groups

    n = options.items
    if options.limits:
        with Server() as server:
            limits(server, n)
        return
    members = [f"member:{i}".encode() for i in range(n)]
    strangers = [f"stranger:{i}".encode() for i in range(200000)]
    # every second one is there, in no order that a cache could like
    asked = [x for pair in zip(members[::-max(1, n // 100000)], strangers) for x in pair][:200000]
    with Server() as server:
        r = server.client()
        r("BF.RESERVE", "reserved", "0.01", n)
        r("CF.RESERVE", "cf:reserved", n)
        for group in groups(members, 5000):
            for command in (("SADD", "set"), ("BF.MADD", "reserved"), ("BF.MADD", "grown"),
                            ("CF.INSERT", "cf:reserved", "ITEMS"), ("CF.INSERT", "cf:grown", "ITEMS")):
                r(*command, *group)
        rows = []
        for name, key in (("SMISMEMBER", "set"), ("BF.MEXISTS", "reserved"), ("BF.MEXISTS", "grown"),
                          ("CF.MEXISTS", "cf:reserved"), ("CF.MEXISTS", "cf:grown")):
            rows.append((f"{name} x100", key, [(name, key, *group) for group in groups(asked, 100)]))
        for name, key in (("SISMEMBER", "set"), ("BF.EXISTS", "reserved"), ("CF.EXISTS", "cf:reserved")):
            rows.append((name, key, [(name, key, item) for item in asked[:50000]]))
        batches = [[b"".join(Client.encode(c) for c in group) for group in groups(commands, 50)]
                   for _, _, commands in rows]
        times = [[] for _ in rows]
        for _ in range(options.rounds):
            for i, (_, _, commands) in enumerate(rows):
                before = cpu(r)
                for group, batch in zip(groups(commands, 50), batches[i]):
                    r.socket.sendall(batch)
                    for _ in group:
                        r.read()
                items = sum(len(c) - 2 for c in commands)
                times[i].append((cpu(r) - before) / items * 1e9)
        version = r("INFO", "server").split(b"redis_version:")[1].split(b"\r")[0].decode()
        print(f"Redis {version}, {n} items, "
              f"{options.rounds} rounds, pipelines of 50 commands; server CPU time, the median of the rounds\n")
        print(f"{'command':18} {'key':12} {'ns/item':>8}  {'against the set':16}")
        base = {}
        for (name, key, _), values in zip(rows, times):
            median = statistics.median(values)
            kind = "x100" in name
            base.setdefault(kind, median)
            print(f"{name:18} {key:12} {median:8.0f}  {base[kind] / median:6.2f} times as fast")
        print(f"\n{'key':12} {'bytes/item':>10} {'fpr':>8}")
        for key in ("set", "reserved", "grown", "cf:reserved", "cf:grown"):
            bytes_per_item = r("MEMORY", "USAGE", key, "SAMPLES", 0) / n
            wrong = ""
            if key != "set":
                command = "CF.MEXISTS" if key.startswith("cf") else "BF.MEXISTS"
                wrong = f"{sum(sum(r(command, key, *group)) for group in groups(strangers)) / len(strangers):8.3%}"
            print(f"{key:12} {bytes_per_item:10.3f} {wrong:>8}")


if __name__ == "__main__":
    main()
