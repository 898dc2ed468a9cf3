/* SPDX-License-Identifier: MIT */
/* What commands are made of. */
#ifndef NINHO_FUZZ_TOOL_WORDS_H
#define NINHO_FUZZ_TOOL_WORDS_H

#include <stddef.h>

/* Verbs that stay in the folder: none that asks a peer or starts a program. The list ends with NULL. */
static const char *const tool_verbs[] = {
    "plan",   "create", "build",   "add",       "remove", "check", "info",
    "verify", "union",  "parquet", "cassandra", "uniq",   NULL,
};
enum { n_tool_verbs = sizeof tool_verbs / sizeof *tool_verbs - 1 };

static const char *const tool_words[] = {
    "a",           "b",
    "c",           "d",
    "key",         "-",
    "--",          "--kind",
    "bloom",       "blocked",
    "counting",    "cuckoo",
    "quotient",    "fuse",
    "ribbon",      "compact",
    "scalable",    "chain",
    "probe",       "cuckoo-table",
    "--capacity",  "1",
    "2",           "8",
    "20",          "64",
    "300",         "0",
    "--fpr",       "0.5",
    "0.01",        "0.0001",
    "--seed",      "--hash",
    "xxh3",        "xxh64",
    "siphash",     "--key-file",
    "--type",      "lines",
    "bytes",       "int64",
    "uuid",        "hashes",
    "text",        "--meta",
    "k=v",         "ninho.semantics=set",
    "--checked",   "--bits",
    "--hashes",    "--k-rule",
    "floor",       "best",
    "--base",      "--growth",
    "16",          "--max-capacity",
    "--tag-bits",  "12",
    "--arity",     "3",
    "4",           "--original",
    "--slots",     "buckets",
    "windows",     "--bucket",
    "--window",    "--choice",
    "random",      "emptier",
    "--search",    "walk",
    "bfs",         "--max-kicks",
    "--budget",    "--pairing",
    "xor",         "offset",
    "near",        "--prefer",
    "speed",       "space",
    "--set",       "--table-slots",
    "--functions", "--tables",
    "--stash",     "--max-moves",
    "--no-huge",   "--null",
    "-0",          "--crlf",
    "--stats",     "--json",
    "--force",     "--help",
    "--universe",  "--mmap",
    "--count",     "-c",
    "-v",          "-q",
    "--quiet",     "--export",
    "--output",    "-o",
    "--keys",      "--version",
    "--write",     "--delimiter",
    "--field",     "-f1",
    "-f2",         "-d,",
    "-t,",         "k",
    "--csv",       "--tsv",
    "--jsonl",     "--ignore-case",
    "--bom",       "--no-decompress",
    "-i",          "--exact",
    "--repeated",
};
enum { n_tool_words = sizeof tool_words / sizeof *tool_words };

#endif
