// Package model holds what the models of the twins share: a second opinion on what
// a request must be answered and what a world must then look like, worked out from
// the published contract and from nothing of the product's own code.
//
// A model is a struct of maps and plain Go. It is told what was asked (Op), says
// what must come of it (Expect), and is compared with the answer and with the
// dump. The models are in the packages below: model/stripe and model/zendesk.
//
// Nouns:
//
//   - Op: one request to a twin.
//   - Expect: the answer that the model predicts; Known is false where it has no
//     opinion.
//   - Value: a JSON value, of an answer as it came or of a prediction.
//   - symbol: an id that the model has given but does not know: ⟨in#3⟩ is the third
//     invoice. It may stand anywhere in a text, in an address for example.
//   - Names: which symbol is which id. It is learnt from the answers, and must stay
//     one to one.
//   - Diff: one place where the prediction and the answer differ.
//
// # How a model is used
//
//	m, err := stripe.New(seed)
//	want := m.Do(op)                    // before or after the request, once
//	diffs := m.Check(want, status, body)  // the answer, as text
//	diffs = m.CheckDump(dump)             // the whole world, between requests; the Stripe
//	                                      // model takes a dump apart first (ReadWorld)
//	m.Advance(to)                       // the clock was moved, to Unix seconds
//	m.Reset()                           // the world was reset
//
// The ids in an Op are those that the twin gave: the model knows them from the
// answers it has checked, and takes any other for the id of something missing.
//
// # Caveats
//
//   - Texts that come from outside must not hold ⟨ or ⟩.
//   - Any stands for "there, whatever it is", Free for "there or not": both mean
//     that nothing was checked, and each model lists where it uses them and why.
//   - Comparing binds symbols as it goes; after a Diff the names are of no use.
//   - Nothing here is safe for use by several goroutines.
package model
