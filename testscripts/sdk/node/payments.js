// What stripe-node makes of payments: intents, cards that decline, holds, setup,
// tokens, disputes, credit, search. The server is WORLDS_URL, the key STRIPE_KEY;
// the world is empty but for its account. Prints one line of JSON.
import assert from 'node:assert/strict';
import Stripe from 'stripe';

const url = new URL(process.env.WORLDS_URL ?? 'http://127.0.0.1:7357');
const stripe = new Stripe(process.env.STRIPE_KEY ?? assert.fail('STRIPE_KEY is not set'), {
  host: url.hostname,
  port: url.port,
  protocol: url.protocol.replace(':', ''),
  maxNetworkRetries: 0,
  telemetry: false,
  ...(process.env.STRIPE_VERSION && {apiVersion: process.env.STRIPE_VERSION}),
});

// refusal is the error of a call that must fail with a class and a code.
async function refusal(call, type, code) {
  const err = await call.then(() => assert.fail(`not refused: ${code}`), (e) => e);
  assert.ok(err instanceof Stripe.errors[type], `${err}`);
  assert.equal(err.code, code);
  return err;
}

async function payments(customer) {
  const pi = await stripe.paymentIntents.create({amount: 2500, currency: 'usd', customer, metadata: {order: '007'}});
  assert.deepEqual([pi.status, pi.amount_received, pi.client_secret.startsWith(pi.id)], ['requires_payment_method', 0, true]);
  await stripe.paymentIntents.update(pi.id, {amount: 3000, metadata: {order: '', lot: '1e3'}});
  const declined = await refusal(
    stripe.paymentIntents.confirm(pi.id, {payment_method: 'pm_card_chargeDeclinedInsufficientFunds'}), 'StripeCardError', 'card_declined');
  assert.deepEqual([declined.decline_code, declined.payment_intent.status], ['insufficient_funds', 'requires_payment_method']);
  assert.equal((await stripe.charges.retrieve(declined.charge)).outcome.type, 'issuer_declined');
  const paid = await stripe.paymentIntents.confirm(pi.id, {
    payment_method: 'pm_card_visa', setup_future_usage: 'off_session', expand: ['latest_charge.balance_transaction'],
  });
  assert.deepEqual([paid.status, paid.amount_received, paid.metadata], ['succeeded', 3000, {lot: '1e3'}]);
  assert.equal(paid.latest_charge.balance_transaction.net, 3000 - 117);
  const state = await refusal(stripe.paymentIntents.cancel(pi.id), 'StripeInvalidRequestError', 'payment_intent_unexpected_state');
  assert.equal(state.payment_intent.id, pi.id);
  const cards = await stripe.customers.listPaymentMethods(customer);
  assert.deepEqual(cards.data.map((m) => m.card.last4), ['4242']);
  return paid.latest_charge.id;
}

async function holds() {
  const held = await stripe.paymentIntents.create({
    amount: 1000, currency: 'eur', confirm: true, capture_method: 'manual', payment_method: 'pm_card_mastercard',
    payment_method_types: ['card'],
  });
  assert.deepEqual([held.status, held.amount_capturable], ['requires_capture', 1000]);
  const captured = await stripe.paymentIntents.capture(held.id, {amount_to_capture: 700}, {expand: undefined});
  assert.equal(captured.amount_received, 700);
  const other = await stripe.charges.create({amount: 900, currency: 'usd', source: 'tok_visa', capture: false});
  assert.equal((await stripe.charges.capture(other.id, {amount: 500})).amount_refunded, 400);
  const acting = await stripe.paymentIntents.create({
    amount: 1000, currency: 'usd', confirm: true, payment_method: 'pm_card_threeDSecure2Required', return_url: 'https://example.com/back',
    automatic_payment_methods: {enabled: true, allow_redirects: 'never'},
  });
  assert.equal(acting.next_action.type, 'redirect_to_url');
  assert.equal((await stripe.paymentIntents.cancel(acting.id, {cancellation_reason: 'abandoned'})).status, 'canceled');
  return held.id;
}

async function setup(customer) {
  const method = await stripe.paymentMethods.create({
    type: 'card', card: {number: '5555 5555 5555 4444', exp_month: 7, exp_year: 2031, cvc: '314'}, billing_details: {name: 'Zoë & Søn'},
  });
  const si = await stripe.setupIntents.create({customer, payment_method: method.id, confirm: true, usage: 'off_session'});
  assert.equal(si.status, 'succeeded');
  await refusal(stripe.setupIntents.create({customer, payment_method: 'pm_card_chargeDeclined', confirm: true}), 'StripeCardError', 'card_declined');
  await refusal(stripe.tokens.create({card: {number: '4242424242424241', exp_month: '7', exp_year: '2031'}}), 'StripeCardError', 'incorrect_number');
  const changed = await stripe.paymentMethods.update(method.id, {billing_details: {name: 'Ann'}, metadata: {a: 'b'}});
  assert.equal(changed.billing_details.name, 'Ann');
  assert.equal((await stripe.paymentMethods.detach(method.id)).customer, null);
  await refusal(stripe.paymentMethods.attach(method.id, {customer}), 'StripeInvalidRequestError', undefined);
}

async function disputes() {
  const {latest_charge: charge} = await stripe.paymentIntents.create({
    amount: 2000, currency: 'usd', confirm: true, payment_method: 'pm_card_createDispute', payment_method_types: ['card'],
  });
  const [dispute] = (await stripe.disputes.list({charge})).data;
  assert.deepEqual([dispute.status, dispute.reason, dispute.is_charge_refundable], ['needs_response', 'fraudulent', false]);
  await refusal(stripe.refunds.create({charge}), 'StripeInvalidRequestError', 'charge_disputed');
  await stripe.disputes.update(dispute.id, {evidence: {customer_name: 'Ann'}, submit: false});
  const won = await stripe.disputes.update(dispute.id, {evidence: {uncategorized_text: 'winning_evidence'}});
  assert.deepEqual([won.status, won.balance_transactions.length, won.evidence.customer_name], ['won', 2, 'Ann']);
  await refusal(stripe.disputes.close(dispute.id), 'StripeInvalidRequestError', undefined);
  return dispute.id;
}

async function credit(customer) {
  const row = await stripe.customers.createBalanceTransaction(customer, {amount: -500, currency: 'usd', description: 'goodwill'});
  assert.deepEqual([row.type, row.ending_balance], ['adjustment', -500]);
  await stripe.customers.updateBalanceTransaction(customer, row.id, {metadata: {a: '1'}});
  await stripe.customers.update(customer, {balance: -200});
  const rows = [];
  for await (const r of stripe.customers.listBalanceTransactions(customer, {limit: 1})) rows.push(r.amount);
  assert.deepEqual(rows, [300, -500]);
}

async function find(customer) {
  for (let i = 0; i < 5; i++) await stripe.customers.create({name: 'Many', metadata: {i: `${i}`}});
  const seen = [];
  for await (const c of stripe.customers.search({query: 'name:"Many"', limit: 2})) seen.push(c.metadata.i);
  assert.deepEqual(seen, ['4', '3', '2', '1', '0']);
  const charges = await stripe.charges.search({query: `customer:"${customer}" AND status:"succeeded"`, expand: ['total_count']});
  assert.deepEqual([charges.total_count, charges.data[0].amount], [1, 3000]);
  await refusal(stripe.customers.search({query: 'shoe:"46"'}), 'StripeInvalidRequestError', undefined);
  return seen.length;
}

const {id: customer} = await stripe.customers.create({name: 'Ann', email: 'ann@example.com'});
const charge = await payments(customer);
const held = await holds();
await setup(customer);
const dispute = await disputes();
await credit(customer);
const found = await find(customer);
const balance = await stripe.balance.retrieve();
const account = await stripe.accounts.retrieveCurrent();
const usd = balance.pending.find((b) => b.currency === 'usd').amount + balance.available.find((b) => b.currency === 'usd').amount;
console.log(JSON.stringify({account: account.id, charge, customer, dispute, found, held, usd}));
