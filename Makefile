# SPDX-License-Identifier: MIT
# The everyday commands; `make help` lists them. CMake is underneath: its presets are in
# CMakePresets.json, its output is under build/.
PREFIX ?= /usr/local
DESTDIR ?=
FULL ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# Groups of tools/packages.txt that a target may use and does not need: `make study WITH=postgresql`
# installs a database server, for the question that asks one, `make WITH=sqlite` what SQLite's extension is
# built for. FULL=1 leaves nothing out.
WITH ?=

# What tests read besides the sources: 62 MB to download.
TEST_DATA = patterns words words-pt words-de dic ecoli ecoli-k12 lambda-reads ushyphex

# What the study reads: 51 MB. Without one of them it answers the rest.
STUDY_DATA = words patterns ushyphex ecoli ecoli-k12

RELEASE = build/release
STEPS = set -e; jobs=$(JOBS); . tools/steps.sh

# CMake gets its own -j; ours would only confuse the make below it.
unexport MAKEFLAGS

.PHONY: all install check amalgamation test test-extra coverage soak fuzz study bench lint format hashes clean help

all: ## build the library and the tool, optimised, under build/release
	@tools/setup build $(WITH)
	@$(STEPS); configure release -DCMAKE_INSTALL_PREFIX="$(PREFIX)"; build release

install: ## install them, and no packages: DESTDIR= PREFIX=/usr/local
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" tools/install $(JOBS)

check: ## a selection of the tests: two minutes, after one build
	@tools/setup build check
	@tools/run-tests $(JOBS) check

amalgamation: ## the library as one file, in build/amalgamation (needs python3, libxxhash-dev)
	@tools/amalgamate build/amalgamation

test: ## the tests, then again under ASan and UBSan
	@tools/setup build test
	@tools/fetch-data $(TEST_DATA) >/dev/null
	@tools/run-tests $(JOBS)

test-extra: ## other compilers, machines and C libraries; threads; other engines
	@tools/setup build test extra
	@tools/fetch-data $(TEST_DATA) >/dev/null
	@tools/run-tests-extra $(JOBS)

coverage: ## which lines and branches the tests reach: build/coverage/index.html
	@tools/setup build test extra
	@tools/fetch-data $(TEST_DATA) >/dev/null
	@tools/run-coverage $(JOBS)

soak: ## long models, large filters, fuzz campaigns: days
	@tools/setup build test soak
	@tools/fetch-data $(TEST_DATA) >/dev/null
	@tools/run-soak $(JOBS)

fuzz: ## fuzz every target in turn: MINUTES=10 in all
	@tools/setup build test soak
	@tools/fuzz-campaign $(JOBS) $(or $(MINUTES),10)

study: ## run the study and write its report (FULL=1: as the documents did it)
	@tools/setup build study $(or $(WITH),$(if $(FULL),npm postgresql))
	@for data in $(STUDY_DATA); do tools/fetch-data $$data >/dev/null || \
	    echo "study: without $$data; the report says what that leaves out"; done
	@tools/fetch-npm
	@$(STEPS); configure release; build release ninho-study
	@$(RELEASE)/bin/ninho-study $(if $(FULL),--full)

bench: ## measure against peers (FULL=1: up to 64 million keys)
	@tools/setup build bench $(or $(WITH),$(if $(FULL),npm))
	@tools/fetch-data words patterns ushyphex ecoli >/dev/null
	@tools/fetch-npm
	@$(STEPS); configure release; build release
	@$(RELEASE)/bin/ninho-bench $(if $(FULL),--full,--quick) --json build/bench.json
	@if command -v valgrind >/dev/null; then bench/counts/counts.py $(RELEASE)/bin/ninho-counts; fi

lint: ## layout, clang-tidy, cppcheck, direction of includes, shell syntax (FULL=1: all paths)
	@tools/setup build test lint
	@tools/run-lint $(JOBS) $(if $(FULL),full)

format: ## lay the sources out as .clang-format says
	@tools/setup lint
	@git ls-files '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format-14 -i

hashes: ## renew the hashes that fetched packages must have (needs npm)
	@tools/fetch-data --renew
	@tools/fetch-npm --renew

clean: ## remove everything built (fetched data stays, in .cache)
	rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile
