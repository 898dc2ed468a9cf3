// SPDX-License-Identifier: MIT
// node stack.js WORDS EXCEPTIONS FILTER RATE MANNER
//
// The experiment as it was published, with npm's hypher and npm's bloom-filters: hyphenates every line of
// WORDS, the exceptions in EXCEPTIONS ("ta-ble", one to a line) first, behind a filter.
//
//   FILTER   none, bloom, cuckoo
//   RATE     what is asked of the filter: 0.01
//   MANNER   published: the filter holds "ta-ble" and is asked for "table"; right: it holds "table"
//
// Prints one line of numbers: milliseconds of the initialisation; milliseconds for all words; how many of
// them the filter took for members; how many were exceptions and found; how many were exceptions and lost;
// how many of the filter's own keys it denies; 1 if a key that is removed is forgotten; bytes of output. Times are elapsed time or that of the
// processors, whichever is less: others may be using the machine, and node has helping threads.
'use strict';

const fs = require('fs');
const Hypher = require('hypher');
const english = require('hyphenation.en-us');
const {BloomFilter, CuckooFilter} = require('bloom-filters');

const [wordsPath, exceptionsPath, filterName, rate, manner] = process.argv.slice(2);
const lines = (path) => fs.readFileSync(path, 'utf8').split('\n').filter((line) => line !== '');
const words = lines(wordsPath);
const hyphenated = lines(exceptionsPath);

function milliseconds(task) {
  const start = process.hrtime.bigint();
  const cpuStart = process.cpuUsage();
  const result = task();
  const elapsed = Number(process.hrtime.bigint() - start) / 1e6;
  const cpu = process.cpuUsage(cpuStart);
  return [Math.min(elapsed, (cpu.user + cpu.system) / 1e3), result];
}

const plain = (line) => line.replace(/-/g, '');
const keys = manner === 'published' ? hyphenated : hyphenated.map(plain);

function initialise() {
  const exceptions = new Map(hyphenated.map((line) => [plain(line), line]));
  const hypher = new Hypher(english);
  let filter = {has: () => true};
  if (filterName === 'bloom') filter = BloomFilter.from(keys, Number(rate));
  if (filterName === 'cuckoo') filter = CuckooFilter.from(keys, Number(rate));
  return {exceptions, hypher, filter};
}

function hyphenateAll({exceptions, hypher, filter}, list) {
  let maybe = 0;
  let found = 0;
  let size = 0;
  for (const word of list) {
    const lower = word.toLowerCase();
    let result;
    if (filter.has(lower)) {
      maybe++;
      result = exceptions.get(lower);
    }
    if (result === undefined) {
      result = hypher.hyphenate(word).join('-');
    } else {
      found++;
    }
    size += result.length + 1;
  }
  return {maybe, found, size};
}

const [initMs, stack] = milliseconds(initialise);
hyphenateAll(stack, words.slice(0, 2000)); // so that the compiler has been at work before the clock runs
const [totalMs, counts] = milliseconds(() => hyphenateAll(stack, words));
const present = words.filter((word) => stack.exceptions.has(word.toLowerCase())).length;
const denied = keys.filter((key) => !stack.filter.has(key)).length;
// The last key: of those that were put in, it is the one that a crowded cuckoo filter has not lost yet.
const last = keys[keys.length - 1];
const forgets = typeof stack.filter.remove === 'function' && stack.filter.remove(last) && !stack.filter.has(last);
console.log([initMs, totalMs, counts.maybe, counts.found, present - counts.found, denied, Number(forgets),
  counts.size].join(' '));
