// SPDX-License-Identifier: MIT
// node hypher.js WORDS EXCEPTIONS FPR
//
// Hyphenates every line of WORDS with npm's hypher, exceptions first: a Map of those in EXCEPTIONS
// ("ta-ble", one to a line), behind a Bloom filter of npm's bloom-filters unless FPR is 0. Prints
// "SECONDS EXCEPTIONS BYTES": for all words (elapsed or of the processors, whichever is less: others
// may be using the machine, and node has helping threads), how many were exceptions, size of output.
'use strict';

const fs = require('fs');
const Hypher = require('hypher');
const english = require('hyphenation.en-us');
const {BloomFilter} = require('bloom-filters');

const [wordsPath, exceptionsPath, fpr] = process.argv.slice(2);
const lines = (path) => fs.readFileSync(path, 'utf8').split('\n').filter((line) => line !== '');
const words = lines(wordsPath);
const exceptions = new Map(
  lines(exceptionsPath).map((line) => [line.replace(/-/g, '').toLowerCase(), line]));
const filter = Number(fpr) > 0
  ? BloomFilter.from([...exceptions.keys()], Number(fpr)) : {has: () => true};
const hypher = new Hypher(english);

const start = process.hrtime.bigint();
const cpuStart = process.cpuUsage();
let found = 0;
let size = 0;
for (const word of words) {
  const lower = word.toLowerCase();
  let hyphenated = filter.has(lower) ? exceptions.get(lower) : undefined;
  if (hyphenated === undefined) {
    hyphenated = hypher.hyphenate(word).join('-');
  } else {
    found++;
  }
  size += hyphenated.length + 1;
}
const elapsed = Number(process.hrtime.bigint() - start) / 1e9;
const cpu = process.cpuUsage(cpuStart);
const seconds = Math.min(elapsed, (cpu.user + cpu.system) / 1e6);
console.log(`${seconds} ${found} ${size}`);
