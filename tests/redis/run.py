#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""tests/redis/run.py --module FILE [--asan-module FILE] [--ninho FILE] [NAME...]: the tests of the
Redis module, against Debian's redis-server. NAME is that of a file test_NAME.py, all if none is given;
with NAME.CLASS.TEST only that. Servers listen on free ports of 127.0.0.1 and end with the tests."""

import argparse
import os
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Timed(unittest.TextTestResult):
    def startTest(self, test):
        self.started = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        super().addSuccess(test)
        seconds = time.monotonic() - self.started
        if seconds > 3:
            self.stream.writeln(f"   {seconds:.1f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--module", required=True)
    parser.add_argument("--asan-module", default="")
    parser.add_argument("--ninho", default="")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    os.environ["NINHO_REDIS_MODULE"] = os.path.abspath(options.module)
    if options.asan_module:
        os.environ["NINHO_REDIS_ASAN_MODULE"] = os.path.abspath(options.asan_module)
    if options.ninho:
        os.environ["NINHO_TOOL"] = os.path.abspath(options.ninho)
    sys.dont_write_bytecode = True
    sys.path.insert(0, HERE)
    loader = unittest.TestLoader()
    if options.names:
        suite = loader.loadTestsFromNames(["test_" + name for name in options.names])
    else:
        suite = loader.discover(HERE, pattern="test_*.py")
    result = unittest.TextTestRunner(verbosity=2, resultclass=Timed).run(suite)
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())
