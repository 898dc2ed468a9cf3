#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/coverage-page over a tree of two small files: what it counts, what it leaves out, and when it fails."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
TOOLS = ["clang-14", "llvm-profdata-14", "llvm-cov-14"]

# 100 lines that are reached, so that one that is not is 1 %.
REACHED = "int reached(int n)\n{\n" + 100 * "    n++;\n" + "    return n;\n}\n"
MAIN = "int reached(int n);\nint app(int n);\nint main(void)\n{\n    return app(reached(0)) != 101;\n}\n"
APP = "int app(int n);\nint app(int n)\n{\n    return n + 1;\n}\n"

SIZES = """
int fits(unsigned long long n)
{
    if (n > SIZE_MAX)
        return 0;
    return 1;
}
"""

UNREACHED = """
int never(int n)
{
    if (n)
        n++;
    n++;
    n++;
    return n;
}
"""


@unittest.skipUnless(all(map(shutil.which, TOOLS)), "clang-14 and its llvm tools are not there")
class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name).resolve()
        for part in ("src", "apps", "page"):
            (self.top / part).mkdir()

    def run_page(self, source, *arguments, app=APP):
        """Builds and runs a program of these two files; the exit status and the output of the page."""
        (self.top / "src/source.c").write_text("int reached(int n);\n" + source)
        (self.top / "apps/app.c").write_text(app)
        (self.top / "main.c").write_text(MAIN)
        subprocess.run(["clang-14", "-O0", "-fprofile-instr-generate", "-fcoverage-mapping", "-o", "program", "main.c",
                        "src/source.c", "apps/app.c"], cwd=self.top, check=True)
        subprocess.run(["./program"], cwd=self.top, check=True,
                       env={**os.environ, "LLVM_PROFILE_FILE": str(self.top / "raw.profraw")})
        subprocess.run(["llvm-profdata-14", "merge", "raw.profraw", "-o", "all.profdata"], cwd=self.top, check=True)
        done = subprocess.run([TOP / "tools/coverage-page", "program", "all.profdata", *(arguments or ["page"])],
                              cwd=self.top, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def page(self):
        return (self.top / "page/index.html").read_text()

    def test_what_is_reached_is_enough(self):
        status, text = self.run_page(REACHED)
        self.assertEqual(status, 0, text)
        self.assertIn("src: 100.00 % of 103 lines", text)
        self.assertIn("apps: 100.00 % of 3 lines", text)

    def test_a_floor_that_is_not_reached_fails(self):
        status, text = self.run_page(REACHED + UNREACHED)
        self.assertEqual(status, 1, text)
        self.assertIn("src: 93.64 % of 110 lines, 0.00 % of 2 branches; 0 lines left out", text)
        self.assertIn("src is below its floor", text)
        self.assertNotIn("apps is below its floor", text)
        self.assertIn('class="no"', self.page())

    def test_a_branch_that_goes_one_way_fails(self):
        status, text = self.run_page(REACHED.replace("    n++;\n", "    if (n >= 0)\n        n++;\n", 1))
        self.assertEqual(status, 1, text)
        self.assertIn("100.00 % of 104 lines, 50.00 % of 2 branches", text)
        self.assertIn("never false", self.page())

    def test_a_mark_stands_for_a_function(self):
        status, text = self.run_page(REACHED + UNREACHED.replace("int never", "/* unreached: on <purpose> */\nint never"))
        self.assertEqual(status, 0, text)
        self.assertIn("100.00 % of 103 lines, 100.00 % of 0 branches; 9 lines left out", text)
        self.assertIn("on &lt;purpose&gt;", self.page())

    def test_a_mark_stands_for_no_more_than_what_is_below_it(self):
        status, text = self.run_page(REACHED + UNREACHED.replace("if (n)", "if (n) /* unreached: so */"))
        self.assertEqual(status, 1, text)
        self.assertIn("of 108 lines, 100.00 % of 0 branches; 2 lines left out", text)

    def test_a_mark_ends_with_its_function(self):
        status, text = self.run_page("/* unreached: only this */\nint none(void)\n{\n    return 0;\n}\n" + REACHED +
                                     UNREACHED)
        self.assertEqual(status, 1, text)
        self.assertIn("93.64 % of 110 lines", text)
        self.assertIn("; 5 lines left out", text)

    def test_sizes_of_64_bits_are_not_asked_for(self):
        source = "#include <stdint.h>\n" + REACHED.replace("    n++;\n", "    n += fits(1);\n", 1)
        status, text = self.run_page(SIZES.replace("int fits", "#include <stdint.h>\nint fits", 1) + source)
        self.assertEqual(status, 0, text)
        self.assertIn("100.00 % of 0 branches", text)

    def test_a_part_that_is_missing_fails(self):
        (self.top / "moved.c").write_text(APP)
        status, text = self.run_page(REACHED, app='#include "../moved.c"\n')
        self.assertEqual(status, 1, text)
        self.assertIn("nothing was counted in apps", text)

    def test_what_is_missing_is_listed(self):
        status, text = self.run_page(REACHED + UNREACHED, "--list", "src")
        self.assertEqual(status, 0, text)
        lines = text.splitlines()
        self.assertEqual(len(lines), 7, text)
        self.assertEqual(lines[0], "src/source.c:108: not reached: {")
        status, text = self.run_page(REACHED.replace("    n++;\n", "    if (n >= 0)\n        n++;\n", 1), "--list",
                                     "src/source.c")
        self.assertEqual((status, text), (0, "src/source.c:4: column 9 never false: if (n >= 0)\n"))


if __name__ == "__main__":
    unittest.main()
