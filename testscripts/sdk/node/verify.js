// Verifies deliveries with stripe-node: for each n from 1 on, n.body in the folder
// given is what came, n.sig its Stripe-Signature. Prints the type of each event.
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import Stripe from 'stripe';

const [folder, secret] = process.argv.slice(2);
const stripe = new Stripe('sk_test_unused');
for (let n = 1; existsSync(join(folder, `${n}.body`)); n++) {
  const body = readFileSync(join(folder, `${n}.body`));
  const signature = readFileSync(join(folder, `${n}.sig`), 'utf8');
  console.log(stripe.webhooks.constructEvent(body, signature, secret).type);
}
