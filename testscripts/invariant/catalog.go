package invariant

// Invariant is one law that every history keeps.
type Invariant struct {
	ID   string // never changes, never means something else
	Says string
	How  string // by what it is checked
}

// Invariants lists every invariant, by family.
func Invariants() []Invariant {
	return []Invariant{
		{"log.dense-seq", "entries are numbered from 1 without a gap, and so are deliveries", "each number is the one before plus 1; a fork goes on where its past ends"},
		{"log.append-order", "entries stand in the order in which they were appended, and requests are numbered in that order", "prev is the hash of the entry before; each request carries the next `log` number, nothing else does"},
		{"log.hash-chain", "a hash names an entry and all before it", "SHA-256 of prev, number and body, made anew"},
		{"log.genesis", "a history begins with the seed, at its epoch, and nothing has happened yet", "entry 0: number, hash, command, clock, and no facts but rows, counters and the clock"},
		{"log.one-incarnation", "a history is of one life of its world", "no second genesis, no entry that follows the genesis again, no joint that follows another past"},
		{"log.time-monotonic", "the clock never goes back", "`at` of each entry, and every `clock` fact"},
		{"log.writer-known", "every entry says who asked, and only those ask who may", "actors by operation: admin, deliverer, or the label of a credential"},
		{"entry.command-hash", "the command is in the one form that hashes can be compared in, and asks one thing", "its bytes are their own canonical form; a request or an operation, not both"},
		{"entry.frames-ordered", "the facts of an entry are well formed and in the order of an operation's life", "kinds and elements; `log` first, `minted` and `idem` last; references point back to a `put`"},
		{"entry.response-recorded", "every answer is kept: a change's as it was given, a read's as a hash", "status, request id and form of the reply"},
		{"rows.equal-fold", "the rows are what the facts fold to", "a second fold, written from docs/format.md, compared with rows, index terms, events, records, marks, ledger and rules"},
		{"rows.no-orphan", "there is no row or event that no fact put", "the second fold"},
		{"rows.refs-resolve", "what an object names is there", "the reference members of all stored objects; those of changed rows at each entry, all of them after a deletion and at the end"},
		{"rows.unique", "what only one object can hold is held by one", "invoice numbers, subscription items, addresses of users, memberships, the default group"},
		{"events.seq-order", "events stand in the order in which they happened", "ids in the order of minting; times do not go back within an entry nor ahead of the clock"},
		{"events.id-derivation", "the id of an event is minted in its entry", "prefix and base-62 of SHA-256 of seed and count, made anew"},
		{"events.payload-is-row-at-seq", "an event carries its object as it stood", "the bytes of the put it refers to, with no later image; else members against an image of that entry"},
		{"ids.unique", "an id names one thing, for ever", "ids of new rows and events against all that ever were"},
		{"ids.counter-equals-mints", "the counter moves by exactly the ids that an entry shows", "each id minted is derived anew and must be found in the facts; each new id must be one of them"},
		{"ids.never-below-seed-floor", "numbers given out lie above those of the seed, and never come back", "numeric ids of new rows, and named counters"},
		{"image.before-equals-prior", "what is said to have been before was so", "previous attributes of events, and `before` in diffs, against the images of the second fold"},
		{"image.range-contiguous", "where one range of changes ends, the next begins", "the state at a mark, and `after` in diffs, against the images of the second fold; nothing left out, nothing twice"},
		{"idem.one-record-per-key", "a key is used once, and called by its place in the order of first use", "`idem` facts, and the raw keys beside the entries"},
		{"idem.replay-verbatim", "a repeat gets the first answer, and does nothing", "request, status and SHA-256 of a replayed answer against the record"},
		{"idem.validation-stores-nothing", "what was refused before the endpoint decided is not kept", "method, status and code of what is kept"},
		{"delivery.event-exists", "what is delivered is an event", "each new row of the ledger; a row's event and endpoint never change"},
		{"delivery.attempt-increments", "attempts are counted one by one, from none", "`delivery` facts against the `deliver` command"},
		{"delivery.backoff-60·2^(n-1)", "after failed attempt n the next is 60·2^(n-1) seconds later", "due of the row against the clock of the entry"},
		{"delivery.terminal-once", "a delivery ends once: with success, or after 16 attempts", "status of the row against the outcome and the count"},
		{"delivery.creation-order-first-attempts", "an endpoint gets events first in the order of their turns", "no first attempt while an earlier one is due; rules that delay or hold back have their say"},
		{"clock.only-advance-or-tick", "nothing moves the clock but an advance, a test clock, or the tick of an automatic one", "`clock` facts by command; `at` is where they leave it"},
		{"clock.boundary-timestamps", "what time causes is stamped with the moment at which it was due", "times of events against the due times of the rows that the entry touched"},
		{"clock.plans-ahead", "what a request plans lies ahead", "due times of the rows that it put, but for what was behind already"},
		{"money.charge≥refunded", "no more goes back than came in", "amount, amount_refunded and the refunds of a charge"},
		{"money.invoice-totals", "an invoice adds up", "lines, discounts, balance, credit notes, due, paid, remaining, number and paid_at by status"},
		{"money.credit-notes", "a credit note accounts for all it takes back", "its parts; notes of an invoice against its total"},
		{"money.balance", "a customer's balance is the sum of its movements", "customer balance transactions"},
		{"money.net", "the net is the amount less the fee", "balance transactions"},
		{"money.currency-consistent", "money meets money of its kind", "currencies along the references, and of lines"},
		{"sub.periods-contiguous", "a period begins where the last one ended", "items of subscriptions whose anchor stays, out of trials and pauses"},
		{"sub.cap-1000", "one advance renews a subscription 1000 times at most, and 2500 periods in all", "periods that change in one entry"},
		{"ticket.audit-per-change", "each change of a ticket has its audit", "new audits of the entry"},
		{"ticket.closed-final", "a closed ticket stays as it is", "status and audited members; it can be deleted"},
		{"object.created-once", "an object is made once", "its `.created` event and its creation time"},
		{"object.update-after-create", "nothing is told of an object before it is there", "order of events about one object"},
		{"object.legal-transition", "a status moves as its table says", "status before and after each put"},
		{"object.terminal-final", "what is settled stays", "final statuses, amounts and parties of settled objects, and their deletion"},
		{"endpoint.no-send-after-removal", "nothing goes to an endpoint that is gone or disabled", "new rows and attempts of endpoints that requests made"},
		{"retry.one-open-per-event", "an event is on its way to an endpoint once", "pending rows of one event and endpoint, but for rules that double and operators that resend"},
		{"due-time.never-rewritten", "a delivery is tried when it is due, and due when its last attempt said", "due of a row changes by an attempt only"},
		{"key.use-count", "a key that lasts for so many requests counts each one", "its counter, and who is refused"},
		{"refusal.changes-nothing", "what is refused changes nothing but what counts requests", "facts of entries answered with 400 or more, but for declined payments (402), on a manual clock"},
		{"read.changes-nothing", "what only looks changes nothing but what counts requests", "facts of GET entries on a manual clock"},
		{"reset.equals-fresh", "a world that was reset is as a fresh one", "number, hash and rows after a reset against the genesis"},
		{"reset.nothing-held", "nothing outlives a reset", "requests in flight, deliveries, rules and marks after it"},
	}
}
