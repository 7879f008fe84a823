// Package linear asks whether what clients saw of a server can have happened in some
// order, one thing after the other. It trusts nothing but the answers, least of all
// the journal: several clients work on few objects over HTTP, each call is noted with
// when it was made and when it was answered, and Porcupine looks for an order that a
// plain model allows.
//
// Nouns: a call is one request with its times and what came of it; a part is all the
// calls on one object, which is judged on its own; a kind says how a part behaves
// (register, balance, refunds, key, list, comments).
//
// A call that was never answered, because the server was killed, is open: it may have
// happened at any time after it was made, or not at all.
//
// # Caveats
//
// Looking for an order takes time that grows fast with the calls of a part. When it
// takes too long the answer is "unknown", which counts as a failure: nothing was
// shown. The times are of one process, so clients of several cannot be judged.
package linear
