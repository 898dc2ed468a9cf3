// SPDX-License-Identifier: MIT
// node hypher.js WORDS EXCEPTIONS FPR
//
// Hyphenates every line of WORDS with npm's hypher, exceptions first: a Map of those in EXCEPTIONS
// ("ta-ble", one to a line), behind a Bloom filter of npm's bloom-filters unless FPR is 0. Prints
// "SECONDS EXCEPTIONS BYTES": for all words, how many of them were exceptions, size of the output.
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
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
console.log(`${seconds} ${found} ${size}`);
