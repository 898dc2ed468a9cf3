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
            if (!groups.has(shard))
                groups.set(shard, []);
            groups.get(shard).push(i);
        });
        await Promise.all([...groups].map(async ([shard, places]) => {
            const reply = await ask(this.key(shard), places.map((i) => items[i]));
            places.forEach((place, i) => { answers[place] = reply[i]; });
        }));
        return answers;
    }

    // Each shard for its part of the items and a little more: shares are not quite equal.
    async reserve(errorRate, capacity) {
        const mean = capacity / this.nShards;
        const share = Math.floor(mean + 4 * Math.sqrt(mean)) + 1;
        for (let shard = 0; shard < this.nShards; shard++)
            await this.client.bf.reserve(this.key(shard), errorRate, share);
    }

    // For each whether it is new. A shard that is full ends its answer with an error, which bf.mAdd()
    // would show as false: hence the command as it is.
    add(items) {
        return this.each(items, async (key, some) => {
            const reply = await this.client.sendCommand(key, false, ['BF.MADD', key, ...some]);
            if (reply.at(-1) instanceof Error)
                throw reply.at(-1);
            return reply.map((answer) => answer === true || answer === 1);
        });
    }

    exists(items) {
        return this.each(items, (key, some) => this.client.bf.mExists(key, some));
    }
}
