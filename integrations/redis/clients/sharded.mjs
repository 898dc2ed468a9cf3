// SPDX-License-Identifier: MIT
// One set over many keys, and so over all masters of a cluster: the rule of README.md, for npm's redis.
//
//     const words = new ShardedFilter(cluster, 'words', 64);
//     await words.add(['robin', 'wren']);
//     await words.exists(['robin', 'ostrich']);    // [true, false]
//
// An item belongs to the key NAME:{I}, with I = CRC-16 of its bytes modulo the number of shards. That is
// the checksum that clusters choose slots by: CCITT's polynomial, beginning with 0 (XMODEM).

export function crc16(bytes) {
    let crc = 0;
    for (const byte of bytes) {
        crc ^= byte << 8;
        for (let bit = 0; bit < 8; bit++)
            crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
        crc &= 0xffff;
    }
    return crc;
}

export function shardOf(item, nShards) {
    return crc16(Buffer.from(item)) % nShards;
}

export class ShardedFilter {
    constructor(client, name, nShards) {
        Object.assign(this, {client, name, nShards});
    }

    key(shard) {
        return `${this.name}:{${shard}}`;
    }

    async each(items, ask) {
        const answers = new Array(items.length).fill(false);
        const groups = new Map();
        items.forEach((item, i) => {
            const shard = shardOf(item, this.nShards);
            groups.set(shard, [...(groups.get(shard) ?? []), i]);
        });
        await Promise.all([...groups].map(async ([shard, places]) => {
            const reply = await ask(this.key(shard), places.map((i) => items[i]));
            places.forEach((place, i) => { answers[place] = reply[i]; });
        }));
        return answers;
    }

    add(items) {
        return this.each(items, (key, some) => this.client.bf.mAdd(key, some));
    }

    exists(items) {
        return this.each(items, (key, some) => this.client.bf.mExists(key, some));
    }
}
