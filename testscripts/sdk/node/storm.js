// Makes one customer with stripe-node as it comes out of the box, retries and all,
// on a connection that is open already. Prints what came of it.
import Stripe from 'stripe';

const url = new URL(process.env.WORLDS_URL);
const stripe = new Stripe(process.env.STRIPE_KEY, {
  host: url.hostname,
  port: url.port,
  protocol: url.protocol.replace(':', ''),
  telemetry: false,
  ...(process.env.STRIPE_VERSION && {apiVersion: process.env.STRIPE_VERSION}),
});
await stripe.customers.list({limit: 1});
try {
  await stripe.customers.create({email: 'storm@sdk.example'});
  console.log('ok');
} catch (e) {
  console.log(e.type);
}
process.exit(0); // the SDK leaves the answers it retried unread, and their connections open
