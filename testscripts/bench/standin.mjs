// A stand-in for what people build themselves: Node and SQLite, one database file a
// world, each change one transaction: the object, its event, the idempotency record
// and the counter that ids come from. Ids are hashes of the counter, answers look as
// Stripe's do, and rows have the indexes that lists need. It validates nothing and
// knows customers alone, so it does less than a real one would.
//
//   node standin.mjs FOLDER NORMAL|FULL PORT
//
// POST /v1/customers, GET /v1/customers/:id, GET /v1/customers?limit=N, and GET /dump:
// everything as canonical JSON, its SHA-256 in a header. The key chooses the world.

import {createHash} from 'node:crypto';
import http from 'node:http';
import path from 'node:path';
import Database from 'better-sqlite3';

const [folder, synchronous, port] = process.argv.slice(2);
const worlds = new Map();

function open(key) {
  const db = new Database(path.join(folder, `${worlds.size}.db`));
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${synchronous}`);
  db.exec(`
    CREATE TABLE counter (n INTEGER NOT NULL);
    CREATE TABLE object (ord INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, type TEXT NOT NULL, created INTEGER NOT NULL, email TEXT, body TEXT NOT NULL);
    CREATE INDEX object_type ON object (type, created, ord);
    CREATE INDEX object_email ON object (email) WHERE email IS NOT NULL;
    CREATE TABLE event (ord INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, type TEXT NOT NULL, created INTEGER NOT NULL, body TEXT NOT NULL);
    CREATE INDEX event_type ON event (type, created, ord);
    CREATE TABLE idempotency (key TEXT PRIMARY KEY, request TEXT NOT NULL, reply TEXT NOT NULL);
    INSERT INTO counter VALUES (0);`);
  const world = {
    bump: db.prepare('UPDATE counter SET n = n + 2 RETURNING n'),
    object: db.prepare('INSERT INTO object (id, type, created, email, body) VALUES (?, ?, ?, ?, ?)'),
    event: db.prepare('INSERT INTO event (id, type, created, body) VALUES (?, ?, ?, ?)'),
    idempotency: db.prepare('INSERT INTO idempotency VALUES (?, ?, ?)'),
    replay: db.prepare('SELECT request, reply FROM idempotency WHERE key = ?'),
    get: db.prepare('SELECT body FROM object WHERE id = ?'),
    list: db.prepare('SELECT body FROM object WHERE type = ? ORDER BY created DESC, ord DESC LIMIT ?'),
    all: ['object', 'event'].map((t) => [t, db.prepare(`SELECT body FROM ${t} ORDER BY id`)]),
    keys: db.prepare('SELECT key, request, reply FROM idempotency ORDER BY key'),
  };
  world.create = db.transaction((form, key, request) => {
    const {n} = world.bump.get();
    const created = 1704067200;
    const customer = {
      id: mint('cus_', n - 1, 14), object: 'customer', address: null, balance: 0, created,
      currency: null, default_source: null, delinquent: false, description: null, discount: null,
      email: null, invoice_prefix: mint('', n - 1, 8).toUpperCase(),
      invoice_settings: {custom_fields: null, default_payment_method: null, footer: null, rendering_options: null},
      livemode: false, metadata: {}, name: null, next_invoice_sequence: 1, phone: null,
      preferred_locales: [], shipping: null, tax_exempt: 'none', test_clock: null, ...form,
    };
    const event = {
      id: mint('evt_', n, 24), object: 'event', api_version: '2025-03-31.basil', created, data: {object: customer},
      livemode: false, pending_webhooks: 0, request: {id: mint('req_', n, 14), idempotency_key: key ?? null},
      type: 'customer.created',
    };
    const body = JSON.stringify(customer);
    world.object.run(customer.id, 'customer', created, customer.email, body);
    world.event.run(event.id, event.type, created, JSON.stringify(event));
    const reply = JSON.stringify(customer, null, 2);
    if (key) world.idempotency.run(key, request, reply);
    return reply;
  });
  return world;
}

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

// mint makes the id of a counter's value: the same in every run.
function mint(prefix, n, length) {
  let id = prefix;
  for (const byte of createHash('sha256').update(`seed:${n}`).digest().subarray(0, length)) id += letters[byte % 62];
  return id;
}

function worldOf(request) {
  const key = request.headers.authorization ?? '';
  let world = worlds.get(key);
  if (!world) worlds.set(key, (world = open(key)));
  return world;
}

// parse reads a form: name=Ann&metadata[plan]=pro.
function parse(text) {
  const form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const parts = name.split('[').map((p) => p.replace(']', ''));
    let at = form;
    for (const part of parts.slice(0, -1)) at = at[part] ??= {};
    at[parts.at(-1)] = value;
  }
  return form;
}

function canonical(v) {
  if (Array.isArray(v)) return `[${v.map(canonical).join(',')}]`;
  if (v === null || typeof v !== 'object') return JSON.stringify(v);
  return `{${Object.keys(v).sort().map((k) => `${JSON.stringify(k)}:${canonical(v[k])}`).join(',')}}`;
}

function dump(world) {
  const out = {};
  for (const [table, rows] of world.all) out[table] = rows.all().map((r) => JSON.parse(r.body));
  out.idempotency = world.keys.all().map((r) => ({...r, reply: JSON.parse(r.reply)}));
  return canonical(out);
}

function answer(response, status, body, headers = {}) {
  response.writeHead(status, {'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers});
  response.end(body);
}

function get(request, response) {
  const url = new URL(request.url, 'http://localhost');
  const world = worldOf(request);
  if (url.pathname === '/dump') {
    const body = dump(world);
    return answer(response, 200, body, {SHA256: createHash('sha256').update(body).digest('hex')});
  }
  if (url.pathname === '/v1/customers') {
    const rows = world.list.all('customer', Number(url.searchParams.get('limit') ?? 10));
    const page = {object: 'list', data: rows.map((r) => JSON.parse(r.body)), has_more: true, url: url.pathname};
    return answer(response, 200, JSON.stringify(page, null, 2));
  }
  const row = world.get.get(url.pathname.slice('/v1/customers/'.length));
  return row ? answer(response, 200, JSON.stringify(JSON.parse(row.body), null, 2)) : answer(response, 404, '{"error":{}}');
}

const server = http.createServer((request, response) => {
  if (request.method === 'GET') return get(request, response);
  const chunks = [];
  request.on('data', (c) => chunks.push(c));
  request.on('end', () => {
    const world = worldOf(request);
    const key = request.headers['idempotency-key'];
    const text = Buffer.concat(chunks).toString();
    const print = createHash('sha256').update(`${request.url} ${text}`).digest('hex');
    const seen = key && world.replay.get(key);
    if (seen && seen.request !== print) return answer(response, 400, '{"error":{"type":"idempotency_error"}}');
    answer(response, 200, seen ? seen.reply : world.create(parse(text), key, print));
  });
});
server.keepAliveTimeout = 0;
server.listen(Number(port), '127.0.0.1');
