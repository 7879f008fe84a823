// Package stripe is a model of Stripe as a world plays it: what each request must be
// answered, which events it causes, and what the world then holds. It is written
// from Stripe's documentation, from the seed format (docs/seed.md) and from the
// rulings in docs/determinism.md, and knows nothing of the twin's code.
//
// Money is int64 in the smallest unit; prorations are exact fractions until they are
// rounded. A decide function (createRefund) reads the model and changes it, or
// unwinds with a refusal, by which everything it did is taken back unless the
// contract lets it stay, as a declined card does.
//
// Nouns, beside those of the API:
//
//   - shape: what the parameters of a route may be; written as a small table.
//   - refusal: an answer that is no success, or that the model has no opinion.
//   - lost: the model met a change that it has no opinion of and knows the world no
//     longer; from then on it predicts nothing and compares nothing, until an Adopt or
//     a Reset.
//   - adopt: to take the world as a dump has it. What the model held alike stays as it
//     was; the rest is read from the dump.
//   - opaque: an object that the model can show and knows too little of: one with
//     members that it does not model, or an open invoice that time goes on collecting.
//     Of a request that touches it there is no opinion.
//
// # What is predicted and not checked
//
// Everything that an object shows is predicted, but for these:
//
//   - card.exp_year: test cards expire in a year of the product's choice.
//   - dispute.payment_method_details.card: network and network_reason_code, which
//     follow from tables of the networks.
//   - event.pending_webhooks: depends on endpoints, which the model does not have.
//   - hosted_invoice_url, invoice_pdf: made up; they are there from finalization on.
//   - next_action of an intent that waits: its link is made up.
//   - outcome of a charge without a card, and risk_score of a blocked one.
//   - unit_amount_decimal of a seeded line whose amount has no finite unit.
//   - the words of an error; its type, code, param and the objects in it are checked.
//   - in a dump: the status of a balance transaction, which is worked out when it
//     is shown; fingerprints of idempotency records.
//
// The tables of a dump that are not checked: stripe.deadline and
// stripe.spent_payment_method (notes of the product to itself), webhook endpoints,
// test clocks, sources and tokens.
//
// # Caveats
//
//   - A test card's fingerprint is a symbol of its number.
//   - Of several faults in one request the one is named that docs/determinism.md says.
//   - Where the contract is silent the model follows the product: limits of numbers and
//     texts that the published document does not have; a refund that
//     fails or stays pending does so for a day; a dispute is due at the end of the
//     tenth day; deleted customers keep their payment methods; a seeded subscription
//     that leaves at the end of its period was canceled at the period's start, one
//     whose trial is over had it from its creation on; a seeded invoice of nothing was
//     attempted; a price that is its product's default cannot be archived; an event of
//     a delete shows the idempotency key that was sent with it; return_url needs
//     confirm; an item in another currency is refused for its price.
//   - What a dump does not say is unknown after an Adopt: in which order one request
//     made objects of several tables is taken to be the usual one.
package stripe
