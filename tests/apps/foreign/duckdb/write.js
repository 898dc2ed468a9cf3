// SPDX-License-Identifier: MIT
// node write.js MODULES OUT ROWS GROUP FPR : has DuckDB write a Parquet file of ROWS rows, in row groups of GROUP, whose
// dictionaries and so filters are as large as they need to be; prints, as JSON, where each filter lies.
'use strict';
const [modules, out, rows, group, fpr] = process.argv.slice(2);
const { DuckDBInstance } = require(modules + '/@duckdb/node-api');

async function main() {
    const instance = await DuckDBInstance.create(':memory:');
    const db = await instance.connect();
    await db.run(`CREATE TABLE t AS SELECT
        (i * 7 - 1000)::INTEGER AS number, (i * 1000003 - 5)::BIGINT AS large,
        (i * 5)::UINTEGER AS natural32, (i * 11)::UBIGINT AS natural64, ('name-' || (i * 3))::VARCHAR AS name,
        (i / 4.0)::DOUBLE AS ratio, (i / 8.0)::FLOAT AS part,
        (DATE '1960-01-01' + i::INTEGER) AS day,
        (TIMESTAMP '2020-01-01 00:00:00' + to_seconds(i)) AS stamp, (i / 100.0)::DECIMAL(9, 2) AS price,
        (i % 100)::UTINYINT AS tiny, (-i)::DECIMAL(18, 3) AS wide, (i::HUGEINT * 100000000000000000000)::DECIMAL(38, 4) AS huge,
        ('00112233-4455-6677-8899-' || printf('%012x', i * 2))::UUID AS id, (TIME '00:00:00' + to_milliseconds(i)) AS clock,
        (TIMESTAMP '2020-01-01 00:00:00' + to_milliseconds(i))::TIMESTAMP_MS AS stamp_ms,
        (TIMESTAMP '2020-01-01 00:00:00' + to_microseconds(i))::TIMESTAMP_NS AS stamp_ns,
        ('raw-' || i)::BLOB AS raw, {'leaf': 'leaf-' || (i * 2), 'number': i * 2} AS deep, (i % 2 - 1) * 0.0::DOUBLE AS zero
        FROM range(${Number(rows)}) r(i)`);
    await db.run(`COPY t TO '${out}' (FORMAT parquet, ROW_GROUP_SIZE ${Number(group)},
        DICTIONARY_SIZE_LIMIT ${Number(rows)}, BLOOM_FILTER_FALSE_POSITIVE_RATIO ${Number(fpr)})`);
    const places = await db.runAndReadAll(`SELECT row_group_id, path_in_schema, row_group_num_rows,
        bloom_filter_offset, bloom_filter_length FROM parquet_metadata('${out}')`);
    const list = places.getRows().map((row) => ({
        group: Number(row[0]), column: String(row[1]).replaceAll(', ', '.'), rows: Number(row[2]),
        offset: row[3] === null ? null : Number(row[3]), length: row[4] === null ? null : Number(row[4])}));
    console.log(JSON.stringify(list));
}

main().catch((error) => {
    console.error(String(error));
    process.exit(1);
});
