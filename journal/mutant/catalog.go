package mutant

// Mutant is one planted bug.
type Mutant struct {
	Name   string
	Family string // of the invariants that it breaks, or model: it breaks none, only a second model sees it
	Breaks string
}

// All lists the mutants, by family.
func All() []Mutant {
	return []Mutant{
		{"advance-stamps-late", "clock", "what time causes is stamped one second after it fell due"},
		{"tick-outside-transaction", "clock", "an automatic clock moves beside the transaction: no fact says so, and no refusal takes it back"},
		{"backoff-linear", "delivery", "the waits between attempts grow by a minute, not twofold"},
		{"body-at-present", "delivery", "an event that is delivered again shows the newest event of the log"},
		{"delivered-backwards", "delivery", "what is due is tried from the newest on"},
		{"double-outcome", "delivery", "a second outcome of one attempt is taken down too"},
		{"retry-hurried", "due-time", "a delivery that failed is due again at once when another one is taken down"},
		{"hears-when-disabled", "endpoint", "a disabled endpoint still gets events"},
		{"read-kept-whole", "entry", "the answer of a read is kept as it was given, not as its hash"},
		{"event-from-the-future", "events", "an event is stamped one second ahead of the clock"},
		{"keys-outlive-reset", "idem", "a reset world goes on counting idempotency keys where it was"},
		{"replay-of-another", "idem", "a key that was used for something else gives that answer instead of a refusal"},
		{"stale-idempotency", "idem", "the record of a key is looked up before the request just before this one is done"},
		{"validation-kept", "idem", "a refusal of the parameters is kept under the idempotency key"},
		{"event-id-repeats", "ids", "an event after the first of an entry does not move the counter"},
		{"ids-not-given-back", "ids", "what is rolled back keeps the ids it minted"},
		{"capture-unprotected", "image", "a dump is not one cut: its second half is of the state when it comes to be written"},
		{"diff-forgets", "image", "a diff does not tell of rows that are gone"},
		{"mark-moves-on", "image", "the state at a mark is taken after what follows has folded, not when the mark is appended"},
		{"previous-is-present", "image", "an update says that the values it changed were the new ones"},
		{"fork-sees-later", "isolation", "a fork of the present goes on seeing what its parent does"},
		{"worlds-share-state", "isolation", "the worlds of one seed change one state"},
		{"key-use-missed", "key", "a key that lasts for so many requests does not count its second one"},
		{"early-publish", "log", "an answer is given, and seen by streams, before its entry is durable"},
		{"log-number-repeats", "log", "a read is not numbered: the next request has its number"},
		{"detached-stays-default", "model", "a payment method that was detached stays the default of its customer"},
		{"discount-rounds-down", "model", "a percentage is rounded down, not half up; the invoice still adds up"},
		{"dunning-from-last", "model", "the days to the next try are counted from the last failure, not from the first"},
		{"page-repeats-last", "model", "a page that follows another begins with that one's last row"},
		{"proration-rounds-up", "model", "a proration is rounded up"},
		{"renewal-from-last-period", "model", "the end of a period is counted from its start, not from the anchor: the 31st is lost after February"},
		{"requester-does-not-reopen", "model", "a word of the requester leaves a solved ticket solved"},
		{"search-turned-round", "model", "a search answers in the other order"},
		{"small-sum-charged", "model", "an invoice of less than the least that a card is charged for is charged"},
		{"solved-by-nobody", "model", "a ticket that is assigned to nobody can be solved"},
		{"balance-moves-twice", "money", "a movement changes the balance by twice what it says"},
		{"refund-counted-twice", "money", "a refund counts twice against its charge"},
		{"refund-in-dollars", "money", "a refund is in dollars, whatever the charge was in"},
		{"total-ignores-discount", "money", "the total of an invoice forgets its discounts"},
		{"canceled-revives", "object", "paying its last invoice makes a canceled subscription active"},
		{"paid-invoice-voided", "object", "a paid invoice can be voided"},
		{"read-leaves-count", "read", "a read counts in the state"},
		{"refusal-keeps-changes", "refusal", "what an endpoint did before it refused stays"},
		{"late-outcome", "reset", "what became of a delivery of the life before is taken down in this one"},
		{"reset-keeps-state", "reset", "a reset world goes on with the rows it had"},
		{"reset-unfenced", "reset", "a request that waited through a reset is executed after it"},
		{"event-queued-twice", "retry", "an event is queued twice for an endpoint"},
		{"coupon-forgotten", "rows", "a deleted coupon is not kept for the discounts that it made"},
		{"invoice-number-repeats", "rows", "two invoices of a customer have one number"},
		{"lost-update", "rows", "an operation decides on the state as it was when it came in, and what was done meanwhile is lost"},
		{"terms-not-moved", "rows", "a row that changes is not found by its new terms"},
		{"stream-repeats", "stream", "the position after a line is that of the line before: it comes again"},
		{"stream-skips", "stream", "a subscriber that comes back misses the line after the one it named"},
		{"period-gap", "sub", "a renewed period starts a second after the one before has ended"},
		{"audit-left-out", "ticket", "a change of a ticket leaves no audit"},
		{"closed-ticket-changes", "ticket", "a closed ticket can be changed"},
	}
}
