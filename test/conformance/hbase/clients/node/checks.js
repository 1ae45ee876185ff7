// Checks a server with the Node client hbase-rpc-client: node checks.js ZOOKEEPER TABLE, where the table has the
// families f (5 versions) and g and is split at h and p. The client has no administration of tables and no append.
'use strict';

const { promisify } = require('util');
const hbase = require('hbase-rpc-client');

const [zookeeper, table] = process.argv.slice(2);
const client = hbase({ zookeeperHosts: [zookeeper], zookeeperRoot: '/hbase', rpcTimeout: 20000, callTimeout: 10000 });
client.on('error', (err) => console.log('client error:', err));

let passed = 0;
let failed = 0;

function check(name, expected, got) {
  if (String(expected) === String(got)) {
    passed++;
    console.log('ok ' + name);
  } else {
    failed++;
    console.log(`FAIL ${name}: expected ${expected} got ${got}`);
  }
}

const call = (method) => promisify(client[method].bind(client));
const get = call('get');
const put = call('put');
const del = call('delete');

const FIRST_CLOCK_TIME = 1e12;

// A row as "f:a=1 g:b@5=2"; values of 8 bytes that start with a zero are numbers.
function show(row) {
  if (!row || !row.columns) return '';
  return row.columns.map((c) => {
    const ts = Number(c.timestamp.toString());
    const value = c.value.length === 8 && c.value[0] === 0 ? c.value.readBigUInt64BE().toString() : c.value.toString();
    return `${c.family}:${c.qualifier}${ts < FIRST_CLOCK_TIME ? '@' + ts : ''}=${value}`;
  }).join(' ');
}

const row = async (key) => show(await get(table, new hbase.Get(key)));

function newPut(key, cells) {
  const p = new hbase.Put(key);
  for (const [column, value, ts] of cells) {
    const [family, qualifier] = column.split(':');
    if (ts === undefined) p.add(family, qualifier, value);
    else p.add(family, qualifier, value, ts);
  }
  return p;
}

async function putAndGet() {
  await put(table, newPut('a1', [['f:a', '1'], ['g:b', '2']]));
  check('put and get', 'f:a=1 g:b=2', await row('a1'));
  check('get an absent row', '', await row('a0'));
  const column = new hbase.Get('a1');
  column.addColumn('g', 'b');
  check('get a column', 'g:b=2', show(await get(table, column)));
  for (let ts = 1; ts <= 7; ts++) await put(table, newPut('a2', [['f:a', 'v' + ts, ts]]));
  check('newest version', 'f:a@7=v7', await row('a2'));
  const versions = new hbase.Get('a2');
  versions.setMaxVersions(2);
  check('versions', 'f:a@7=v7 f:a@6=v6', show(await get(table, versions)));
  const range = new hbase.Get('a2');
  range.setMaxVersions(9);
  range.setTimeRange(3, 5);
  check('time range', 'f:a@4=v4 f:a@3=v3', show(await get(table, range)));
  const big = 'x'.repeat(1 << 20);
  await put(table, newPut('a3', [['f:a', big]]));
  check('a value of 1 MiB', big.length + 4, (await row('a3')).length);
}

async function deletes() {
  for (const key of ['d1', 'd2', 'd3', 'd4']) {
    for (let ts = 1; ts <= 3; ts++) await put(table, newPut(key, [['f:a', '1', ts], ['f:b', '2', ts]]));
    await put(table, newPut(key, [['g:a', '3', 1]]));
  }
  await del(table, new hbase.Delete('d1'));
  check('delete a row', '', await row('d1'));
  const family = new hbase.Delete('d2');
  family.deleteFamily('f');
  await del(table, family);
  check('delete a family', 'g:a@1=3', await row('d2'));
  const columns = new hbase.Delete('d3');
  columns.deleteColumns('f', 'a');
  await del(table, columns);
  check('delete a column', 'f:b@3=2 g:a@1=3', await row('d3'));
  const version = new hbase.Delete('d4');
  version.deleteColumn('f', 'a', 3);
  await del(table, version);
  check('delete a version', 'f:a@2=1 f:b@3=2 g:a@1=3', await row('d4'));
}

async function scan(start, stop, prepare) {
  const scanner = client.getScanner(table, start, stop);
  if (prepare) prepare(scanner);
  const rows = await promisify(scanner.toArray)();
  return rows.map((r) => `${r.row}*${r.columns.length}`).join(' ');
}

async function scans() {
  for (const letter of 'fghijklmnopqrs') {
    await put(table, newPut(letter + 's', [['g:a', '1']]));
    await put(table, newPut('s' + letter, [['f:a', '1'], ['f:b', '2']]));
  }
  check('scan a range', 'sf*2 sg*2 sh*2', await scan('sf', 'si'));
  check('scan over regions', 'fs*1 gs*1 hs*1 is*1', await scan('fs', 'js'));
  // When the last rows of a region fill a fetch, the client takes the scan for ended. Fives do not.
  check('scan by fives', 'fs*1 gs*1 hs*1 is*1 js*1 ks*1 ls*1 ms*1 ns*1 os*1 ps*1 qs*1 rs*1',
    await scan('fs', 'sa', (s) => { s.numCached = 5; }));
  check('scan nothing', '', await scan('x', 'y'));
  check('prefix filter', 'sg*2', await scan('sf', 'si', (s) => s.setFilter({ prefixFilter: { prefix: Buffer.from('sg') } })));
  check('filter list', 'sf*1 sg*1', await scan('sf', 'sh', (s) => {
    const list = new hbase.FilterList('MUST_PASS_ALL');
    list.addFilter({ firstKeyOnlyFilter: {} });
    s.setFilter(list);
  }));
  const scanner = client.getScanner(table, 'fs', 'ss');
  check('next', 'fs', (await promisify(scanner.next)()).row.toString());
  scanner.close();
  const many = [];
  for (let i = 0; i < 250; i++) many.push(newPut('u' + String(i).padStart(3, '0'), [['f:a', String(i)]]));
  await call('mput')(table, many);
  check('scan more than the client asks for at once', 250, (await scan('u', 'v')).split(' ').length);
}

async function counters() {
  const first = await call('incrementColumnValue')(table, 'i1', 'f', 'n', 5);
  check('increment', 5, first.result.cell[0].value.toBuffer().readBigInt64BE());
  await call('incrementColumnValue')(table, 'i1', 'f', 'n', -2);
  check('increment again', 'f:n=3', await row('i1'));
  const increment = new hbase.Increment('i2');
  increment.add('f', 'a', 1);
  increment.add('f', 'b', 2);
  await call('increment')(table, increment);
  check('increment two columns', 'f:a=1 f:b=2', await row('i2'));
  await Promise.all(Array.from({ length: 100 }, () => call('incrementColumnValue')(table, 'i3', 'f', 'n', 1)));
  check('100 increments at once', 'f:n=100', await row('i3'));
}

async function conditions() {
  await put(table, newPut('c1', [['f:a', '1']]));
  const yes = await call('checkAndPut')(table, 'c1', 'f', 'a', '1', newPut('c1', [['f:a', '2']]));
  check('check and put', true, yes.processed);
  const no = await call('checkAndPut')(table, 'c1', 'f', 'a', '1', newPut('c1', [['f:a', '3']]));
  check('check and put, not', false, no.processed);
  check('after them', 'f:a=2', await row('c1'));
  const gone = await call('checkAndDelete')(table, 'c1', 'f', 'a', '2', new hbase.Delete('c1'));
  check('check and delete', 'true ', gone.processed + ' ' + await row('c1'));
}

async function batch() {
  const keys = Array.from({ length: 300 }, (_, i) => 'ckt'[i % 3] + 'b' + i);
  await call('mput')(table, keys.map((key) => newPut(key, [['f:a', key]])));
  const rows = await call('mget')(table, keys);
  check('300 puts and gets', 300, rows.filter((r) => show(r) === `f:a=${r.row}`).length);
  await call('mdelete')(table, keys.slice(0, 3));
  check('deletes', ',,,f:a=' + keys[3], (await Promise.all(keys.slice(0, 4).map(row))).join(','));
}

// The client asks again after any exception, and first for the region by a request that HBase 2 no longer knows: an
// error is all that there is to see, and what else it asks for that region fails too.
async function errors() {
  try {
    await put(table, newPut('e1', [['none:a', '1']]));
    check('unknown family', 'an error', 'none');
  } catch (err) {
    check('unknown family', 'an error', err ? 'an error' : 'none');
  }
  check('other regions go on', 'g:a=1', await row('qs'));
}

async function main() {
  for (const part of [putAndGet, deletes, scans, counters, conditions, batch, errors]) {
    try {
      await part();
    } catch (err) {
      check(part.name, 'no error', err && err.message ? err.message : err);
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

setTimeout(() => {
  console.log('FAIL the checks did not come to their end');
  console.log(`${passed} passed, ${failed + 1} failed`);
  process.exit(1);
}, 90000).unref();
main();
