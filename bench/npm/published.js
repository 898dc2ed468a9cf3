// SPDX-License-Identifier: MIT
// node published.js WORDS USHYPHEX.TEX : how the experiment of 2022 answers, with npm's bloom-filters
// in front of the exceptions of ushyphex.tex. docs/hyphenation.md tells what comes out:
//
//     NODE_PATH=.cache/npm/node_modules node bench/npm/published.js \
//         $(tools/fetch-data words) $(tools/fetch-data ushyphex)
'use strict';

const fs = require('fs');
const {BloomFilter, CuckooFilter} = require('bloom-filters');

const [wordsPath, exceptionsPath] = process.argv.slice(2);
const words = fs.readFileSync(wordsPath, 'utf8').split('\n').filter((word) => word !== '');
const inside = fs.readFileSync(exceptionsPath, 'utf8').replace(/%.*/g, '')
  .match(/\\hyphenation\{([^}]*)\}/)[1];
const hyphenated = inside.split(/\s+/).filter((entry) => entry !== '');
const plain = hyphenated.map((entry) => entry.replace(/-/g, ''));
const isException = new Set(plain);
const present = words.filter((word) => isException.has(word));

// As it was published: the filter holds "ta-ble" and is asked for "table".
const published = BloomFilter.from(hyphenated, 0.01);
const lost = present.filter((word) => !published.has(word)).length;
console.log(`as published, 1 %: ${lost} of the ${present.length} exceptions in the list are lost`);

// Put right: it holds what it is asked for.
const right = BloomFilter.from(plain, 0.01);
const missed = present.filter((word) => !right.has(word)).length;
console.log(`put right, 1 %: ${missed} are lost`);

// The package's cuckoo filter, with keys that were added and with words that were not.
for (const rate of [0.2, 0.01]) {
  const cuckoo = CuckooFilter.from(plain, rate);
  const gone = plain.filter((word) => !cuckoo.has(word)).length;
  const others = words.filter((word) => !isException.has(word));
  const wrong = others.filter((word) => cuckoo.has(word)).length;
  console.log(`its cuckoo filter, ${100 * rate} %: ${gone} of ${plain.length} keys not found, ` +
    `${(100 * wrong / others.length).toFixed(1)} % false positives`);
}
