// A billing job by stripe-node on a test clock: a trial, three renewals, a card
// that stops paying, a recovery. Time passes only by advancing the clock, so
// nothing sleeps. The server is WORLDS_URL, the key STRIPE_KEY; the world's seed
// turns test clocks on and begins at EPOCH. Prints one line of JSON.
import assert from 'node:assert/strict';
import Stripe from 'stripe';

const EPOCH = 1769853600; // 2026-01-31 10:00 UTC
const DAY = 86400;

const url = new URL(process.env.WORLDS_URL ?? 'http://127.0.0.1:7357');
const stripe = new Stripe(process.env.STRIPE_KEY ?? assert.fail('STRIPE_KEY is not set'), {
  host: url.hostname,
  port: url.port,
  protocol: url.protocol.replace(':', ''),
  maxNetworkRetries: 0,
  telemetry: false,
});

async function advance(clock, to) {
  const moved = await stripe.testHelpers.testClocks.advance(clock, {frozen_time: to});
  assert.deepEqual([moved.status, moved.frozen_time], ['ready', to]);
  const again = await stripe.testHelpers.testClocks.retrieve(clock);
  assert.deepEqual([again.status, again.frozen_time], ['ready', to]);
}

async function useCard(customer, card) {
  const method = await stripe.paymentMethods.attach(card, {customer});
  await stripe.customers.update(customer, {invoice_settings: {default_payment_method: method.id}});
}

const clock = await stripe.testHelpers.testClocks.create({frozen_time: EPOCH, name: 'billing job'});
const customer = await stripe.customers.create({email: 'tia@example.com', test_clock: clock.id});
assert.equal(customer.test_clock, clock.id);
await useCard(customer.id, 'pm_card_visa');
const begun = await stripe.subscriptions.create({
  customer: customer.id,
  items: [{price: 'price_month'}],
  trial_end: EPOCH + 28 * DAY, // 28 February
});
const statuses = [begun.status];
const ends = [begun.items.data[0].current_period_end];

async function look() {
  const now = await stripe.subscriptions.retrieve(begun.id, {expand: ['latest_invoice']});
  statuses.push(now.status);
  ends.push(now.items.data[0].current_period_end);
  return now;
}

await advance(clock.id, EPOCH + 25 * DAY);
const warned = await stripe.events.list({type: 'customer.subscription.trial_will_end'});
assert.equal(warned.data.length, 1);
assert.equal(warned.data[0].created, EPOCH + 25 * DAY);

await advance(clock.id, ends[0]);
await look();
await advance(clock.id, ends[1]);
await look();
await useCard(customer.id, 'pm_card_chargeCustomerFail');
await advance(clock.id, ends[2]);
const behind = await look();
assert.equal(behind.latest_invoice.attempt_count, 1);
assert.equal(behind.latest_invoice.next_payment_attempt, ends[2] + 3 * DAY);
await useCard(customer.id, 'pm_card_visa');
await advance(clock.id, ends[2] + 3 * DAY);
const recovered = await look();
assert.equal(recovered.latest_invoice.status, 'paid');

const tooFar = await stripe.testHelpers.testClocks.advance(clock.id, {frozen_time: ends[2] + 400 * DAY}).then(
  () => assert.fail('an advance of more than two intervals was not refused'),
  (err) => err,
);
assert.ok(tooFar instanceof Stripe.errors.StripeInvalidRequestError, String(tooFar));
assert.equal(tooFar.param, 'frozen_time');

const invoices = [];
for await (const invoice of stripe.invoices.list({subscription: begun.id, limit: 2})) {
  invoices.push([invoice.billing_reason, invoice.status, invoice.amount_paid, invoice.created - EPOCH]);
}
const deleted = await stripe.testHelpers.testClocks.del(clock.id);
assert.equal(deleted.deleted, true);
const gone = await stripe.customers.retrieve(customer.id);
assert.equal(gone.deleted, true);

console.log(JSON.stringify({statuses, ends: ends.map((end) => end - EPOCH), invoices}));
