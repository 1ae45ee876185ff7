// What a program does that uses mysql2: checks of one client against a server.
//
//     node checks.mjs HOST PORT USER PASSWORD
//
// Prints a line for each check and 'N passed, N failed'.

import assert from 'node:assert/strict'
import mysql from 'mysql2/promise'

const [host, port, user, password] = process.argv.slice(2)
const base = { host, port: Number(port), user, password }
const database = 'conf_node'
let passed = 0
let failed = 0

async function check(name, f, options = {}) {
  const c = await mysql.createConnection({ ...base, database, ...options })
  try {
    await f(c)
    passed++
    console.log('ok', name)
  } catch (e) {
    failed++
    const at = (e.stack ?? '').split('\n').find((l) => l.includes('checks.mjs')) ?? ''
    console.log(`FAIL ${name}: ${e.code ?? ''} ${String(e.message).replaceAll('\n', ' ')} ${at.trim()}`)
  } finally {
    await c.end().catch(() => {})
  }
}
const rows = async (c, sql, args) => (await c.query(sql, args))[0]
const code = async (f) => {
  try {
    await f()
  } catch (e) {
    return [e.errno, e.sqlState]
  }
  return [0, '']
}

const setup = await mysql.createConnection(base)
await setup.query(`DROP DATABASE IF EXISTS ${database}`)
await setup.query(`CREATE DATABASE ${database}`)
await setup.end()

await check('connects', async (c) => {
  await c.ping()
  assert.deepEqual(await rows(c, 'SELECT DATABASE() AS d, 6 * 7 AS n'), [{ d: database, n: 42 }])
  await c.changeUser({ database: 'information_schema' })
  assert.deepEqual(await rows(c, 'SELECT DATABASE() AS d'), [{ d: 'information_schema' }])
})

await check('migrates', async (c) => {
  await c.query('CREATE TABLE people (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) NOT NULL UNIQUE, born DATE)')
  await c.query('ALTER TABLE people ADD COLUMN points BIGINT UNSIGNED NOT NULL DEFAULT 7, ADD INDEX by_born (born)')
  await c.query('ALTER TABLE people DROP INDEX by_born')
})

await check('introspects', async (c) => {
  const [, fields] = await c.query('SELECT id, name, points FROM people')
  assert.deepEqual(fields.map((f) => [f.name, f.orgTable ?? f.table, f.characterSet === 63]),
    [['id', 'people', true], ['name', 'people', false], ['points', 'people', true]])
  const columns = await rows(c, 'SHOW FULL COLUMNS FROM people')
  assert.deepEqual(columns.map((r) => [r.Field, r.Type, r.Key]),
    [['id', 'int', 'PRI'], ['name', 'varchar(50)', 'UNI'], ['born', 'date', ''], ['points', 'bigint unsigned', '']])
  const tables = await rows(c, 'SELECT TABLE_NAME AS t FROM information_schema.tables WHERE table_schema = ?', [database])
  assert.deepEqual(tables, [{ t: 'people' }])
})

await check('changes rows', async (c) => {
  const [insert] = await c.query('INSERT INTO people (name, born) VALUES ?', [[['Ada', '1815-12-10'], ['Bob', null]]])
  assert.equal(insert.affectedRows, 2)
  assert.equal(insert.insertId, 1)
  const [update] = await c.query("UPDATE people SET points = 8 WHERE name = 'Ada'")
  assert.deepEqual([update.affectedRows, update.changedRows], [1, 1])
  const [again] = await c.query("UPDATE people SET points = 8 WHERE name = 'Ada'")
  assert.deepEqual([again.affectedRows, again.changedRows], [1, 0]) // mysql2 asks for found rows
  assert.deepEqual(await rows(c, 'SELECT name, points FROM people ORDER BY id'), [{ name: 'Ada', points: 8 }, { name: 'Bob', points: 7 }])
  const [removed] = await c.query('DELETE FROM people WHERE name = ?', ['Bob'])
  assert.equal(removed.affectedRows, 1)
})

await check('prepares', async (c) => {
  const statement = await c.prepare('SELECT name, points, ? + 1 AS n FROM people WHERE id = ?')
  for (const n of [1, 2, 3]) {
    const [got] = await statement.execute([n, 1])
    assert.deepEqual(got.map((r) => [r.name, r.points, Number(r.n)]), [['Ada', 8, n + 1]])
  }
  await statement.close()
  const [none] = await c.execute('SELECT * FROM people WHERE name = ? OR born = ?', [null, null])
  assert.deepEqual(none, [])
})

await check('runs transactions', async (c) => {
  await c.beginTransaction()
  await c.query("INSERT INTO people (name) VALUES ('Dan')")
  await c.rollback()
  await c.beginTransaction()
  await c.query("INSERT INTO people (name) VALUES ('Eve')")
  await c.query('SAVEPOINT s')
  await c.query("INSERT INTO people (name) VALUES ('Fay')")
  await c.query('ROLLBACK TO s')
  await c.commit()
  assert.deepEqual(await rows(c, "SELECT name FROM people WHERE name > 'B'"), [{ name: 'Eve' }])
})

await check('keeps blobs, dates, numbers and text', async (c) => {
  await c.query(`CREATE TABLE things (id INT PRIMARY KEY, b LONGBLOB, t TEXT, dt DATETIME(3), d DATE, tm TIME, n DECIMAL(20, 4),
    big BIGINT, f DOUBLE, j JSON, e ENUM('x', 'y'), bits BIT(4))`)
  const b = Buffer.alloc(1 << 20, Buffer.from(Array.from({ length: 256 }, (_, i) => i)))
  const text = 'grüße 世界 \u{1f600} \'"\\'
  const moment = '2024-02-29 23:59:58.123'
  const values = [b, text, moment, '2024-02-29', '-30:00:05', '-1234567890123456.7891', '-9223372036854775808', 1.5e300, '{"a": [1, "ü"]}', 'y', 5]
  const marks = values.map(() => '?').join(', ')
  await c.query(`INSERT INTO things VALUES (1, ${marks})`, values)
  await c.execute(`INSERT INTO things VALUES (2, ${marks})`, values)
  for (const read of [c.query, c.execute]) {
    const [got] = await read.call(c, 'SELECT * FROM things ORDER BY id')
    assert.equal(got.length, 2)
    for (const r of got) {
      assert.ok(r.b.equals(b))
      assert.deepEqual({ ...r, id: 0, b: 0 }, {
        id: 0, b: 0, t: text, dt: moment, d: '2024-02-29', tm: '-30:00:05', n: '-1234567890123456.7891', big: '-9223372036854775808',
        f: 1.5e300, j: { a: [1, 'ü'] }, e: 'y', bits: Buffer.from([5]),
      })
    }
  }
}, { dateStrings: true, supportBigNumbers: true, bigNumberStrings: false })

await check('tells errors', async (c) => {
  for (const [want, sql] of [
    [[1054, '42S22'], 'SELECT nope FROM people'], [[1146, '42S02'], 'SELECT * FROM nope'], [[1049, '42000'], 'USE nope'],
    [[1064, '42000'], 'SELEC 1'], [[1062, '23000'], "INSERT INTO people (name) VALUES ('Ada')"],
    [[1048, '23000'], 'INSERT INTO people (name) VALUES (NULL)'], [[1050, '42S01'], 'CREATE TABLE people (id INT)'],
  ]) {
    assert.deepEqual(await code(() => c.query(sql)), want, sql)
    assert.deepEqual(await code(() => c.execute(sql)), want, 'prepared: ' + sql)
  }
})

await check('reads several results', async (c) => {
  const [results] = await c.query('SELECT 1 AS a; UPDATE people SET points = 1 WHERE id = -1; SELECT 2 AS b')
  assert.deepEqual(results[0], [{ a: 1 }])
  assert.equal(results[1].affectedRows, 0)
  assert.deepEqual(results[2], [{ b: 2 }])
}, { multipleStatements: true })

await check('compresses', async (c) => {
  const text = 'x'.repeat(3 << 20)
  assert.deepEqual(await rows(c, 'SELECT ? AS t', [text]), [{ t: text }])
}, { compress: true })

await check('pipelines', async (c) => {
  const got = await Promise.all(Array.from({ length: 200 }, (_, i) => c.execute('SELECT ? AS n', [i])))
  assert.deepEqual(got.map(([r]) => Number(r[0].n)), Array.from({ length: 200 }, (_, i) => i))
})

await check('resets', async (c) => {
  await c.query('SET @a = 1')
  await c.reset()
  assert.deepEqual(await rows(c, 'SELECT @a AS a'), [{ a: null }])
})

console.log(`${passed} passed, ${failed} failed`)
