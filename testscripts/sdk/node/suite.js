// What stripe-node makes of the whole surface: typed reads in the shape of its API
// version, paging both ways, search, every class of error, replays. The server is
// WORLDS_URL, the key STRIPE_KEY, the API version STRIPE_VERSION or the SDK's own.
// The world is the one of suite_test.go. Prints one line of JSON.
import assert from 'node:assert/strict';
import Stripe from 'stripe';

const url = new URL(process.env.WORLDS_URL ?? 'http://127.0.0.1:7357');
const version = process.env.STRIPE_VERSION || undefined;
const options = {
  host: url.hostname,
  port: url.port,
  protocol: url.protocol.replace(':', ''),
  maxNetworkRetries: 0,
  telemetry: false,
  ...(version && {apiVersion: version}),
};
const stripe = new Stripe(process.env.STRIPE_KEY ?? assert.fail('STRIPE_KEY is not set'), options);
// The three shapes of the API: the newest, basil's, and the one before it.
const shape = !version || version >= '2025-09-30' ? 'newest' : version >= '2025-03-31' ? 'basil' : 'old';

let calls = 0;
stripe.on('request', () => calls++);

const errors = {};

// refused notes the class of error that a call fails with.
async function refused(name, call, status, code) {
  const err = await call.then(() => assert.fail(`not refused: ${name}`), (e) => e);
  errors[name] = err.type;
  assert.deepEqual([err.statusCode, err.code], [status, code], `${name}: ${err}`);
  return err;
}

// The old shape hands out a coupon as such, the newer ones in a list.
const discounted = (coupon) => (shape === 'old' ? {coupon} : {discounts: [{coupon}]});

async function customers() {
  const created = await stripe.customers.create({email: 'suite@example.com', name: 'Suite', metadata: {a: '1', b: '2'}}, {idempotencyKey: 'suite-1'});
  const again = await stripe.customers.create({metadata: {b: '2', a: '1'}, name: 'Suite', email: 'suite@example.com'}, {idempotencyKey: 'suite-1'});
  assert.equal(again.id, created.id);
  assert.deepEqual(again, created);
  assert.equal(again.lastResponse.headers['idempotent-replayed'], 'true');
  assert.equal(again.lastResponse.headers['original-request'], created.lastResponse.requestId);
  assert.equal(again.lastResponse.idempotencyKey, 'suite-1');
  assert.equal(created.lastResponse.apiVersion, version ?? created.lastResponse.apiVersion);
  await refused('reused key', stripe.customers.create({email: 'other@example.com'}, {idempotencyKey: 'suite-1'}), 400, undefined);
  const updated = await stripe.customers.update(created.id, {name: null, description: 'x', metadata: {a: '', c: '3'}});
  assert.deepEqual([updated.name, updated.description, updated.metadata], [null, 'x', {b: '2', c: '3'}]);
  const cleared = await stripe.customers.update(created.id, {metadata: ''});
  assert.deepEqual(cleared.metadata, {});
  const pm = await stripe.paymentMethods.attach('pm_card_visa', {customer: created.id});
  const ready = await stripe.customers.update(created.id, {invoice_settings: {default_payment_method: pm.id}});
  assert.equal(ready.invoice_settings.default_payment_method, pm.id);
  const full = await stripe.customers.retrieve(created.id, {expand: ['invoice_settings.default_payment_method', 'subscriptions']});
  assert.deepEqual([full.invoice_settings.default_payment_method.card.brand, full.subscriptions.data.length], ['visa', 0]);
  const gone = await stripe.customers.create({email: 'gone@example.com'});
  assert.deepEqual({...(await stripe.customers.del(gone.id))}, {id: gone.id, object: 'customer', deleted: true});
  assert.equal((await stripe.customers.retrieve(gone.id)).deleted, true);
  await stripe.customers.createBalanceTransaction(created.id, {amount: -100, currency: 'usd'});
  assert.equal((await stripe.customers.listBalanceTransactions(created.id)).data[0].ending_balance, -100);
  await stripe.customers.createBalanceTransaction(created.id, {amount: 100, currency: 'usd'});
  return created.id;
}

// paging walks over all the rows of a list from both ends.
async function paging() {
  const forward = [];
  for await (const c of stripe.customers.list({limit: 100})) forward.push(c.id);
  const backward = [];
  const last = forward[forward.length - 1];
  for await (const c of stripe.customers.list({limit: 100, ending_before: last})) backward.push(c.id);
  assert.deepEqual([...backward].reverse(), forward.slice(0, -1));
  const found = [];
  for await (const c of stripe.customers.search({query: "email~'paged.example'", limit: 100})) found.push(c.id);
  assert.equal(new Set(found).size, found.length);
  const page = await stripe.customers.search({query: "email~'paged.example'", limit: 10});
  const next = await stripe.customers.search({query: "email~'paged.example'", limit: 10, page: page.next_page});
  assert.deepEqual([...page.data, ...next.data].map((c) => c.id), found.slice(0, 20));
  return {rows: forward.length, found: found.length};
}

async function products() {
  const product = await stripe.products.create({name: 'Suite Pro', default_price_data: {currency: 'usd', unit_amount: 1500, recurring: {interval: 'month'}}});
  const price = await stripe.prices.retrieve(product.default_price, {expand: ['product']});
  assert.deepEqual([price.unit_amount_decimal.toString(), price.product.id, price.recurring.usage_type], ['1500', product.id, 'licensed']);
  const once = await stripe.prices.create({product: product.id, currency: 'usd', unit_amount: 900, lookup_key: 'suite-once'});
  assert.deepEqual((await stripe.prices.list({lookup_keys: ['suite-once']})).data.map((p) => p.id), [once.id]);
  await stripe.prices.update(once.id, {nickname: 'Once'});
  assert.equal((await stripe.products.update(product.id, {description: 'All of it'})).description, 'All of it');
  assert.equal((await stripe.prices.search({query: "active:'true' AND lookup_key:'suite-once'"})).data[0].id, once.id);
  assert.equal((await stripe.products.search({query: "name~'Suite'"})).data[0].id, product.id);
  const coupon = await stripe.coupons.create({percent_off: 12.5, duration: 'once'});
  assert.equal(coupon.percent_off, 12.5);
  const promotion = shape === 'newest' ? {promotion: {type: 'coupon', coupon: coupon.id}} : {coupon: coupon.id};
  const code = await stripe.promotionCodes.create({...promotion, code: 'SUITE'});
  const of = shape === 'newest' ? code.promotion.coupon : code.coupon.id;
  assert.equal(of, coupon.id);
  return {month: price.id, once: once.id, coupon: coupon.id};
}

// subscriptions reads periods and links where the shape has them.
async function subscriptions(customer, goods) {
  const sub = await stripe.subscriptions.create({
    customer, items: [{price: goods.month}], ...discounted(goods.coupon), expand: ['latest_invoice'],
  });
  assert.equal(sub.status, 'active');
  const period = shape === 'old' ? sub : sub.items.data[0];
  assert.ok(period.current_period_end > period.current_period_start);
  const invoice = sub.latest_invoice;
  const link = shape === 'old' ? invoice.subscription : invoice.parent.subscription_details.subscription;
  assert.deepEqual([link, invoice.status, invoice.total], [sub.id, 'paid', 1500 - 188]);
  let charge;
  if (shape === 'old') {
    assert.deepEqual([invoice.paid, sub.discount.coupon.id], [true, goods.coupon]);
    const {payment_intent} = await stripe.invoices.retrieve(invoice.id, {expand: ['payment_intent.latest_charge']});
    charge = payment_intent.latest_charge;
    assert.deepEqual([charge.id, charge.invoice], [invoice.charge, invoice.id]);
  } else {
    const {payments} = await stripe.invoices.retrieve(invoice.id, {expand: ['payments.data.payment.payment_intent']});
    charge = await stripe.charges.retrieve(payments.data[0].payment.payment_intent.latest_charge);
    const [discount] = (await stripe.subscriptions.retrieve(sub.id, {expand: ['discounts']})).discounts;
    assert.equal(shape === 'newest' ? discount.source.coupon : discount.coupon.id, goods.coupon);
  }
  const line = invoice.lines.data[0];
  assert.equal(shape === 'old' ? line.price.id : line.pricing.price_details.price, goods.month);
  const pending = await stripe.subscriptions.update(sub.id, {cancel_at_period_end: true});
  assert.equal(pending.cancel_at, period.current_period_end);
  await stripe.subscriptions.update(sub.id, {cancel_at_period_end: false, metadata: {plan: 'pro'}});
  const item = sub.items.data[0].id;
  await stripe.subscriptions.update(sub.id, {items: [{id: item, quantity: 3}], proration_behavior: 'none'});
  assert.equal((await stripe.subscriptionItems.retrieve(item)).quantity, 3);
  assert.equal((await stripe.subscriptionItems.list({subscription: sub.id})).data.length, 1);
  assert.equal((await stripe.subscriptions.search({query: "status:'active' AND metadata['plan']:'pro'"})).data[0].id, sub.id);
  assert.equal((await stripe.subscriptions.list({customer, status: 'all'})).data.length, 1);
  assert.equal((await stripe.subscriptions.cancel(sub.id)).status, 'canceled');
  return charge.id;
}

async function invoices(customer) {
  const draft = await stripe.invoices.create({customer});
  await stripe.invoiceItems.create({customer, invoice: draft.id, amount: 700, currency: 'usd', description: 'Work'});
  await stripe.invoiceItems.create({customer, invoice: draft.id, amount: 300, currency: 'usd'});
  const lines = [];
  for await (const l of stripe.invoices.listLineItems(draft.id, {limit: 1})) lines.push(l.amount);
  assert.equal(lines.reduce((a, b) => a + b), 1000);
  const open = await stripe.invoices.finalizeInvoice(draft.id);
  assert.deepEqual([open.status, open.total, open.amount_remaining], ['open', 1000, 1000]);
  const note = await stripe.creditNotes.create({invoice: open.id, amount: 200});
  assert.deepEqual([note.amount, shape === 'old' ? note.refund : note.refunds.length], [200, shape === 'old' ? null : 0]);
  const paid = await stripe.invoices.pay(open.id);
  assert.deepEqual([paid.status, paid.amount_paid], ['paid', 800]);
  await refused('paid twice', stripe.invoices.pay(open.id), 400, undefined);
  const other = await stripe.invoices.create({customer, collection_method: 'send_invoice', days_until_due: 30});
  await stripe.invoiceItems.create({customer, invoice: other.id, amount: 500, currency: 'usd'});
  assert.equal((await stripe.invoices.sendInvoice(other.id)).status, 'open');
  assert.equal((await stripe.invoices.markUncollectible(other.id)).status, 'uncollectible');
  assert.equal((await stripe.invoices.voidInvoice(other.id)).status, 'void');
  const dropped = await stripe.invoices.create({customer});
  assert.equal((await stripe.invoices.del(dropped.id)).deleted, true);
  assert.equal((await stripe.invoices.search({query: `customer:'${customer}' AND status:'void'`})).data[0].id, other.id);
  await stripe.invoiceItems.create({customer, amount: 250, currency: 'usd'});
  const preview = shape === 'old'
    ? await stripe.rawRequest('GET', `/v1/invoices/upcoming?customer=${customer}`)
    : await stripe.invoices.createPreview({customer});
  assert.equal(preview.lines.data[0].amount, 250);
}

async function money(charge) {
  const first = await stripe.refunds.create({charge, amount: 100, reason: 'requested_by_customer'});
  await stripe.refunds.update(first.id, {metadata: {why: 'part'}});
  await stripe.refunds.create({charge, amount: 100});
  const seen = await stripe.charges.retrieve(charge, {expand: ['refunds', 'balance_transaction', 'customer']});
  assert.deepEqual([seen.amount_refunded, seen.refunds.data.length, seen.customer.object], [200, 2, 'customer']);
  assert.equal(seen.balance_transaction.net, seen.amount - seen.balance_transaction.fee);
  assert.equal((await stripe.balanceTransactions.list({source: charge})).data.length, 1);
  assert.equal((await stripe.balance.retrieve()).object, 'balance');
  assert.equal((await stripe.refunds.list({charge})).data.length, 2);
}

async function refusals(customer, charge) {
  await refused('missing', stripe.customers.retrieve('cus_none'), 404, 'resource_missing');
  await refused('reference', stripe.subscriptions.create({customer, items: [{price: 'price_none'}]}), 400, 'resource_missing');
  await refused('unknown', stripe.customers.create({nonsense: 1}), 400, 'parameter_unknown');
  await refused('limit', stripe.customers.list({limit: 101}), 400, 'parameter_invalid_integer');
  await refused('over', stripe.refunds.create({charge, amount: 99999}), 400, undefined);
  const declined = await refused('card', stripe.paymentIntents.create({
    amount: 500, currency: 'usd', confirm: true, payment_method: 'pm_card_chargeDeclined', payment_method_types: ['card'],
  }), 402, 'card_declined');
  assert.deepEqual([declined.decline_code, declined.payment_intent.status], ['generic_decline', 'requires_payment_method']);
  await refused('key', new Stripe('sk_test_wrong', options).customers.list(), 401, undefined);
  await refused('permission', stripe.testHelpers.testClocks.create({frozen_time: 1}), 403, undefined);
  await refused('rate limit', stripe.coupons.retrieve('rate'), 429, 'rate_limit');
  await refused('server', stripe.coupons.retrieve('broken'), 500, undefined);
  await refused('busy', stripe.coupons.retrieve('busy'), 409, 'idempotency_key_in_use');
  await refused('connection', stripe.coupons.retrieve('cut'), undefined, undefined);
  if (shape !== 'old') await refused('too old', stripe.customers.create({coupon: 'X'}), 400, 'parameter_unknown');
}

async function events(customer) {
  const types = new Set();
  for await (const e of stripe.events.list({limit: 100})) types.add(e.type);
  const [created] = (await stripe.events.list({type: 'customer.created'})).data;
  assert.equal((await stripe.events.retrieve(created.id)).data.object.object, 'customer');
  const hook = await stripe.webhookEndpoints.create({url: 'http://127.0.0.1:9/none', enabled_events: ['customer.created']});
  assert.match(hook.secret, /^whsec_/);
  assert.equal((await stripe.webhookEndpoints.del(hook.id)).deleted, true);
  assert.equal((await stripe.accounts.retrieve()).object, 'account');
  return types.size;
}

const customer = await customers();
const paged = await paging();
const goods = await products();
const charge = await subscriptions(customer, goods);
await invoices(customer);
await money(charge);
await refusals(customer, charge);
const types = await events(customer);
assert.ok(calls >= 60, `${calls} calls`);
console.log(JSON.stringify({...paged, types, errors: Object.fromEntries(Object.entries(errors).filter(([k]) => k !== 'too old'))}));
