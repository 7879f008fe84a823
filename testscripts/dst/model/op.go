package model

// Op is one request to a twin.
type Op struct {
	API     string // stripe or zendesk
	Method  string
	Path    string // with the ids that the twin gave, without a query
	Params  []Pair // form or query, decoded, in the order sent
	Body    []byte // JSON, for Zendesk
	Idem    string // Idempotency-Key, "" for none
	Key     string // label of the credential, "" for the first one
	As      string // on whose behalf (Zendesk): an address, "" for the principal
	Version string // Stripe-Version, "" for the account's
}

// Pair is one parameter.
type Pair struct{ Name, Value string }

// Expect is what a model predicts of an answer.
type Expect struct {
	Known    bool   // false: the model has no opinion, and Why says why
	Why      string // why there is no opinion
	Ticked   bool   // an automatic clock moved by its step
	Replayed bool   // the answer to an earlier request with this key, again
	Status   int
	// Of a refusal, in the vendor's words; "" where there is none.
	Type, Code, Param string
	Ghost             bool  // a refusal whose ids are of things that were taken back
	Body              Value // the whole answer; Free if only the above is predicted
}

// Unknown is the prediction of a model that has no opinion.
func Unknown(why string) Expect { return Expect{Why: why, Body: Free} }
