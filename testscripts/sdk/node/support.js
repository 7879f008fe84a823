// A support job by stripe-node: a customer was charged twice, refund one of
// the two. The server is WORLDS_URL, the key STRIPE_KEY. Prints one line of
// JSON, the same as support.py and main.go do.
import assert from 'node:assert/strict';
import Stripe from 'stripe';

const DANA = 'dana@doublepay.example';
const PAGE = 7; // small, so that paging happens

const url = new URL(process.env.WORLDS_URL ?? 'http://127.0.0.1:7357');
const stripe = new Stripe(process.env.STRIPE_KEY ?? assert.fail('STRIPE_KEY is not set'), {
  host: url.hostname,
  port: url.port,
  protocol: url.protocol.replace(':', ''),
  maxNetworkRetries: 0,
  telemetry: false,
});

async function findCustomer() {
  const found = await stripe.customers.list({email: DANA});
  assert.equal(found.data.length, 1, `customers with the e-mail ${DANA}`);
  return found.data[0];
}

// The duplicate is the later of two paid payments of one invoice.
async function findDuplicate(customer) {
  const seen = {invoices: 0, payments: 0, duplicates: []};
  for await (const invoice of stripe.invoices.list({customer: customer.id, limit: PAGE})) {
    seen.invoices++;
    const payments = await stripe.invoicePayments.list({
      invoice: invoice.id,
      status: 'paid',
      expand: ['data.payment.payment_intent.latest_charge'],
    });
    seen.payments += payments.data.length;
    if (payments.data.length > 1) {
      const charge = payments.data[0].payment.payment_intent.latest_charge;
      seen.duplicates.push({invoice: invoice.id, charge});
    }
  }
  assert.equal(seen.duplicates.length, 1, 'invoices that were paid twice');
  const [{invoice, charge}] = seen.duplicates;
  assert.deepEqual([charge.amount, charge.currency, charge.refunded], [4000, 'usd', false]);
  return {...seen, invoice, charge: charge.id};
}

async function refundOnce(charge) {
  const params = {charge, reason: 'duplicate', metadata: {note: 'paid twice: 2 × $40 & no more'}};
  const refund = await stripe.refunds.create(params);
  assert.deepEqual([refund.amount, refund.status, refund.reason], [4000, 'succeeded', 'duplicate']);
  assert.equal(refund.metadata.note, params.metadata.note);
  assert.match(refund.lastResponse.requestId, /^req_/);
  const refusal = await stripe.refunds.create(params).then(
    () => assert.fail('the second refund was not refused'),
    (err) => err,
  );
  assert.ok(refusal instanceof Stripe.errors.StripeInvalidRequestError, String(refusal));
  assert.equal(refusal.statusCode, 400);
  return {refund: refund.id, refused: refusal.code};
}

async function checkRefunded(id) {
  const charge = await stripe.charges.retrieve(id);
  assert.deepEqual([charge.refunded, charge.amount_refunded], [true, 4000]);
  const events = await stripe.events.list({type: 'charge.refunded'});
  const event = events.data.find((e) => e.data.object.id === id);
  assert.ok(event, 'no event charge.refunded');
  assert.equal(event.data.object.refunded, true);
  assert.equal(event.data.previous_attributes.refunded, false);
  assert.equal((await stripe.events.retrieve(event.id)).type, 'charge.refunded');
  return event.id;
}

// Forward pages from the newest to the oldest; backward from there to the newest.
async function countBothWays() {
  const forward = [];
  for await (const c of stripe.customers.list({limit: PAGE})) forward.push(c.id);
  const oldest = forward.at(-1);
  const backward = [oldest];
  for await (const c of stripe.customers.list({limit: PAGE, ending_before: oldest})) backward.push(c.id);
  assert.deepEqual(backward.reverse(), forward);
  assert.equal(new Set(forward).size, forward.length);
  return {backward: backward.length, forward: forward.length};
}

const customer = await findCustomer();
const {invoices, payments, invoice, charge} = await findDuplicate(customer);
const {refund, refused} = await refundOnce(charge);
const event = await checkRefunded(charge);
const {backward, forward} = await countBothWays();
const summary = {backward, charge, customer: customer.id, event, forward, invoice, invoices, payments, refund, refused};
assert.equal(refused, 'charge_already_refunded');
console.log(JSON.stringify(summary));
