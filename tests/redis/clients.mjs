// SPDX-License-Identifier: MIT
// node tests/redis/clients.mjs MODULES MODE PORT : npm's redis with its bloom commands. MODE is 2 or 3
// (the protocol), cluster, or sharded, which asks for what the Python side has added.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {ShardedFilter, shardOf} from '../../integrations/redis/clients/sharded.mjs';

const [modules, mode, port] = process.argv.slice(2);
const {createClient, createCluster, RESP_TYPES} = createRequire(modules + '/')('redis');
const url = `redis://127.0.0.1:${port}`;

async function bloom(client, key) {
    assert.equal(await client.bf.reserve(key, 0.01, 500, {EXPANSION: 4}), 'OK');
    await assert.rejects(client.bf.reserve(key, 0.01, 500), /ERR item exists/);
    assert.deepEqual([await client.bf.add(key, 'x'), await client.bf.add(key, 'x')], [true, false]);
    assert.deepEqual(await client.bf.mAdd(key, ['x', 'y']), [false, true]);
    assert.deepEqual(await client.bf.insert(key, ['y', 'z'], {NOCREATE: true}), [false, true]);
    assert.deepEqual(await client.bf.insert(key + '2', ['y', 'y'],
        {CAPACITY: 50, ERROR: 0.1, NONSCALING: true}), [true, false]);
    await assert.rejects(client.bf.insert(key + '9', ['y'], {NOCREATE: true}), /ERR not found/);
    assert.deepEqual([await client.bf.exists(key, 'z'), await client.bf.exists(key, 'no')], [true, false]);
    assert.equal(await client.bf.exists('missing', 'z'), false);
    assert.deepEqual(await client.bf.mExists(key, ['x', 'no']), [true, false]);
    assert.equal(await client.bf.card(key), 3);
    const info = await client.bf.info(key);
    assert.equal(info['Capacity'], 500);
    assert.equal(info['Number of items inserted'], 3);
    assert.equal(info['Expansion rate'], 4);
    await assert.rejects(client.bf.info('missing'), /ERR not found/);
}

async function cuckoo(client, key) {
    assert.equal(await client.cf.reserve(key, 500, {BUCKETSIZE: 4, MAXITERATIONS: 30, EXPANSION: 2}), 'OK');
    await assert.rejects(client.cf.reserve(key, 500), /ERR item exists/);
    assert.equal(await client.cf.add(key, 'x'), true);
    assert.equal(await client.cf.addNX(key, 'x'), false);
    assert.deepEqual(await client.cf.insert(key, ['x', 'y'], {NOCREATE: true}), [true, true]);
    assert.deepEqual((await client.cf.insertNX(key, ['x', 'w'])).map(Boolean), [false, true]);
    assert.equal(await client.cf.exists(key, 'x'), true);
    assert.equal(await client.cf.count(key, 'x'), 2);
    assert.deepEqual([await client.cf.del(key, 'x'), await client.cf.del(key, 'no')], [true, false]);
    await assert.rejects(client.cf.del('missing', 'x'), /Not found/);
    const info = await client.cf.info(key);
    assert.equal(info['Bucket size'], 4);
    assert.equal(info['Number of items inserted'], 3);
    assert.equal(info['Number of items deleted'], 1);
}

async function chunks(client, family, from, to) {
    const binary = client.withTypeMapping({[RESP_TYPES.BLOB_STRING]: Buffer});
    let iterator = 0;
    for (;;) {
        const reply = await binary[family].scanDump(from, iterator);
        iterator = reply.iterator;
        if (iterator === 0)
            break;
        assert.equal(await client[family].loadChunk(to, iterator, reply.chunk), 'OK');
    }
    assert.deepEqual(await client[family].info(to), await client[family].info(from));
}

async function sharded(client) {
    const words = new ShardedFilter(client, 'words', 16);
    const python = Array.from({length: 3000}, (_, i) => `python:${i}`);
    const ours = Array.from({length: 3000}, (_, i) => `js:é${i}`);
    assert.ok((await words.exists(python)).every(Boolean), 'what Python added is there');
    assert.ok((await words.add(ours)).filter(Boolean).length > 2900);
    assert.ok((await words.exists(ours)).every(Boolean));
    assert.ok((await words.exists(ours.map((word) => 'no' + word))).filter(Boolean).length < 150);
    assert.equal(shardOf('123456789', 1 << 16), 0x31c3);
    const more = new ShardedFilter(client, 'more', 4);
    await more.reserve(0.01, 1000);
    assert.ok((await more.add(['a', 'b', 'a'])).filter(Boolean).length === 2);
    await assert.rejects(new ShardedFilter(client, 'small', 4).add(ours), /non scaling filter is full/);
}

const isCluster = mode === 'cluster' || mode === 'sharded';
const client = isCluster ? createCluster({rootNodes: [{url}], RESP: 3})
    : createClient({url, RESP: Number(mode)});
await client.connect();
if (mode === 'sharded') {
    await sharded(client);
} else {
    await bloom(client, 'js:b');
    await cuckoo(client, 'js:c');
    if (!isCluster) {
        await chunks(client, 'bf', 'js:b', 'js:b:copy');
        await chunks(client, 'cf', 'js:c', 'js:c:copy');
    }
}
await client.close();
console.log('ok');
