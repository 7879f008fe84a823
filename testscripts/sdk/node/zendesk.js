// A support job by node-zendesk and stripe-node in one world: a customer writes
// that an invoice was charged twice; refund one of the two, answer, solve, look
// after the rest of the help desk. The server is WORLDS_URL, the keys are
// STRIPE_KEY, ZENDESK_EMAIL and ZENDESK_TOKEN. Prints one line of JSON.
import assert from 'node:assert/strict';
import zendesk from 'node-zendesk';
import Stripe from 'stripe';

const url = new URL(process.env.WORLDS_URL ?? 'http://127.0.0.1:7357');
const login = {
  username: process.env.ZENDESK_EMAIL ?? assert.fail('ZENDESK_EMAIL is not set'),
  token: process.env.ZENDESK_TOKEN ?? assert.fail('ZENDESK_TOKEN is not set'),
  endpointUri: `${url.origin}/api/v2`,
  throwOriginalException: true,
};
const desk = zendesk.createClient(login);
const stripe = new Stripe(process.env.STRIPE_KEY ?? assert.fail('STRIPE_KEY is not set'), {
  host: url.hostname,
  port: url.port,
  protocol: url.protocol.replace(':', ''),
  maxNetworkRetries: 0,
  telemetry: false,
});

// A poll that is sent before the one before it is answered would be one more
// request in the journal, in some runs.
const pollMillis = 400;

let calls = 0;
async function call(promise) {
  calls++;
  const {response, result} = await promise;
  assert.ok(response.status < 300, `status ${response.status}`);
  return result;
}
async function list(promise) {
  calls++;
  return promise;
}
async function refused(status, promise) {
  calls++;
  const err = await promise.then((v) => (v instanceof Error ? v : assert.fail('not refused')), (e) => e);
  assert.equal(err.statusCode, status, String(err));
  return err.result;
}
async function gone(promise) {
  calls++;
  const v = await promise; // a 204 comes back as an Error value
  assert.equal((v.result ?? v).statusCode, 204);
}

// The ticket names the customer; Stripe knows the two charges.
async function refundDouble() {
  const [found] = await list(desk.search.queryAll('type:ticket status:new "charged twice"'));
  const ticket = await call(desk.tickets.show(found.id));
  const requester = await call(desk.users.show(ticket.requester_id));
  const [customer] = (await stripe.customers.list({email: requester.email})).data;
  for await (const invoice of stripe.invoices.list({customer: customer.id})) {
    const payments = await stripe.invoicePayments.list({invoice: invoice.id, expand: ['data.payment.payment_intent.latest_charge']});
    if (payments.data.length < 2) continue;
    const charge = payments.data[0].payment.payment_intent.latest_charge;
    const refund = await stripe.refunds.create({charge: charge.id, reason: 'duplicate'});
    const updated = await call(desk.tickets.update(ticket.id, {ticket: {
      status: 'solved', assignee_email: login.username,
      comment: {body: `Refunded ${refund.amount / 100} dollars of invoice ${invoice.number}.`, public: true},
      custom_fields: [{id: 360001, value: refund.id}], tags: [...ticket.tags, 'refunded'],
    }}));
    assert.equal(updated.status, 'solved');
    const comments = await list(desk.tickets.getComments(ticket.id));
    assert.equal(comments.length, 2);
    assert.match(comments[1].html_body, /Refunded 40 dollars/);
    const audits = await list(desk.tickets.exportAudit(ticket.id));
    assert.deepEqual(audits[1].events.map((e) => e.type === 'Comment' ? 'Comment' : e.field_name),
      ['Comment', 'status', 'assignee_id', 'group_id', 'tags', '360001']);
    return {ticket: ticket.id, refund: refund.amount, invoice: invoice.number};
  }
  return assert.fail('no invoice was paid twice');
}

async function people() {
  const me = await call(desk.users.me());
  assert.equal(me.email, login.username);
  const user = await call(desk.users.create({user: {name: 'Eve New', email: 'eve@new.example', role: 'end-user'}}));
  await refused(422, desk.users.create({user: {name: 'Eve Again', email: 'eve@new.example'}}));
  const organization = await call(desk.organizations.create({organization: {name: 'New Ltd'}}));
  await call(desk.users.update(user.id, {user: {organization_id: organization.id, phone: '+1 555'}}));
  assert.equal((await call(desk.users.show(user.id))).organization_id, organization.id);
  assert.equal((await list(desk.users.search({query: 'eve'}))).length, 1);
  assert.equal((await call(desk.users.showMany([me.id, user.id]))).length, 2);
  assert.equal((await call(desk.users.createOrUpdate({user: {name: 'Eve', email: 'eve@new.example'}}))).id, user.id);
  const group = await call(desk.groups.create({group: {name: 'Refunds'}}));
  const membership = await call(desk.groupmemberships.create({group_membership: {user_id: me.id, group_id: group.id}}));
  await call(desk.groupmemberships.makeDefault(me.id, membership.id));
  assert.ok((await list(desk.groups.list())).length >= 2);
  assert.ok((await list(desk.groupmemberships.listByUser(me.id))).length >= 2);
  assert.equal((await list(desk.organizations.list())).at(-1).name, 'New Ltd');
  assert.equal((await call(desk.organizations.update(organization.id, {organization: {notes: 'new'}}))).notes, 'new');
  const other = zendesk.createClient({...login, asUser: 'eve@new.example'});
  assert.equal((await call(other.users.me())).id, user.id);
  await refused(403, other.tickets.list());
  await refused(401, zendesk.createClient({...login, token: 'wrong'}).tickets.list());
  return {me, user, organization};
}

const PAGES = 230; // more than two pages of a hundred

async function tickets({user, organization}) {
  for (let from = 0; from < PAGES; from += 100) {
    const batch = Array.from({length: Math.min(100, PAGES - from)}, (_, i) => ({
      subject: `Bulk ${from + i}`, comment: {body: `Number ${from + i}`}, requester_id: user.id, tags: ['bulk'],
    }));
    const {job_status: job} = await call(desk.tickets.createMany({tickets: batch}));
    calls++;
    const done = await desk.jobstatuses.watch(job.id, pollMillis, 1);
    assert.equal(done.status, 'completed');
    assert.ok(done.results.every((r) => r.success && r.status === 'Created'));
  }
  const all = await list(desk.tickets.list());
  const ids = new Set(all.map((t) => t.id));
  assert.equal(ids.size, all.length, 'tickets listed twice');
  assert.equal((await list(desk.tickets.listByUserRequested(user.id))).length, PAGES);
  assert.equal((await list(desk.tickets.listByOrganization(organization.id))).length, PAGES);
  assert.equal((await list(desk.search.queryAll('type:ticket tags:bulk'))).length, PAGES);
  assert.equal((await list(desk.search.exportResults('tags:bulk', 'ticket', 100))).length, PAGES);
  assert.equal((await call(desk.search.showResultsCount('type:ticket tags:bulk'))).count, PAGES);
  const some = all.filter((t) => t.subject.startsWith('Bulk')).slice(0, 3).map((t) => t.id);
  const {job_status: job} = await call(desk.tickets.updateMany(some, {ticket: {priority: 'high', additional_tags: ['chosen']}}));
  calls++;
  assert.equal((await desk.jobstatuses.watch(job.id, pollMillis, 1)).results.length, 3);
  const shown = await call(desk.tickets.showMany(some));
  assert.deepEqual(shown.map((t) => [t.priority, t.tags]), some.map(() => ['high', ['bulk', 'chosen']]));
  const [one, two, three] = some;
  await list(desk.tickets.addTags(one, {tags: ['a', 'b']}));
  await list(desk.tickets.updateTags(one, {tags: ['c']}));
  assert.deepEqual((await call(desk.tickets.show(one))).tags, ['a', 'b', 'c']);
  const {job_status: merge} = await call(desk.tickets.merge(one, {ids: [two], target_comment: 'one more'}));
  calls++;
  assert.equal((await desk.jobstatuses.watch(merge.id, pollMillis, 1)).status, 'completed');
  const refusal = await refused(422, desk.tickets.update(two, {ticket: {priority: 'low'}}));
  assert.equal(refusal.details.status[0].description, 'Status: closed prevents ticket update');
  const child = await call(desk.tickets.create({ticket: {comment: {body: 'again'}, via_followup_source_id: two}}));
  assert.equal(child.via.source.from.ticket_id, two);
  await gone(desk.tickets.delete(three));
  await refused(404, desk.tickets.show(three));
  await refused(422, desk.tickets.create({ticket: {subject: 'nothing to say'}}));
  // What is not served cannot be taken for an answer.
  for (const list of [desk.views, desk.macros, desk.triggers, desk.ticketfields, desk.satisfactionratings]) {
    assert.match((await refused(403, list.list())).description, /does not serve GET/);
  }
  assert.equal((await list(desk.tickets.incremental(0))).length, all.length + 1);
  assert.ok((await call(desk.ticketaudits.count(one))).count.value >= 3);
  assert.ok((await list(desk.tags.list())).some((t) => t.name === 'bulk'));
  return {one, two, three, all: all.length};
}

const refunded = await refundDouble();
const who = await people();
const worked = await tickets(who);
assert.ok(calls >= 40, `only ${calls} calls`);
console.log(JSON.stringify({...refunded, ...worked, user: who.user.id, organization: who.organization.id, calls}));
