// Package testscripts runs scenario files: scripts that drive a server as an agent
// and an operator would, and say what must come of it. The files beside it are
// the product's examples and its tests; `worlds test FILE…` runs anybody's.
//
// A scenario is a txtar archive: a script, then the files it uses. The language is
// that of github.com/rogpeppe/go-internal/testscript (exec, cmp, stdout, env, cd,
// ! and conditions), with these commands:
//
//	clock +N[s|m|h|d] | clock UNIX
//		Move the logical clock on, by a span or to an instant, again and again
//		until nothing that is due is pending. The answer of the last advance can
//		be read with json. With ! it must be refused.
//	diff FROM [TO]
//		Print what changed between two positions (a mark or a number of an
//		entry; TO is the present), as indented JSON.
//	dump [VAR]
//		Print the canonical dump of the world, or set VAR to its SHA-256.
//	events
//		Print the types of the events since the last call, oldest first, one a
//		line.
//	header NAME [VALUE]
//		Check that the last answer has the header, with that value.
//	journal
//		Print the world's entries, one a line: #n actor method path status.
//	json PATH [VALUE]
//		Check a member of the last answer: .error.code, .data[0].id, .data[-1];
//		PATH# is the length of an array. Without VALUE: it is there and not null.
//	mark NAME
//		Name the present position.
//	replay [fold|re-decide]
//		Re-make the world from its journal and compare (default: re-decide).
//	reset
//		Take the world back to its beginning.
//	restart
//		Stop the server and start it again on the same folder.
//	save VAR PATH
//		Set VAR to a member of the last answer.
//	status CODE
//		Check the status of the last answer.
//	stripe [-key LABEL] [-idem KEY] [-version V] METHOD PATH [NAME=VALUE…]
//		Send a request to the Stripe twin; values are form-encoded, in the query
//		for GET and DELETE. It fails on an answer of 400 or more; with ! it fails
//		on any other. The answer is printed.
//	world new SEED [NAME]
//		Make a world of a library seed or a file, and go on in it. It sets
//		WORLDS_URL, WORLDS_WORLD, WORLDS_TOKEN, STRIPE_KEY, ZENDESK_EMAIL and
//		ZENDESK_TOKEN, so that programs run with exec (worlds, node, curl) find it.
//	world use NAME
//		Go on in a world made before.
//	zendesk [-as EMAIL] [-behalf WHO] [-idem KEY] [-none] METHOD PATH [JSON]
//		Send a request to the Zendesk twin as the principal, or as the user of an
//		address, or (-behalf) for another, or without a credential. It fails on an
//		answer of 400 or more; with ! it fails on any other. The answer is printed.
//
// # The law
//
// After every scenario that passed, the harness holds each of its worlds to the
// law, whatever the file says: the chain verifies; the dump equals the dump of a
// fold of the journal, the dump of a re-decided journal, and the dump after a
// reset and a second run of the same requests, which ends in the same head hash;
// the books balance (book.go).
//
// # Caveats
//
// A scenario has a server of its own, in this process, on a port of 127.0.0.1 that
// the system chooses. Scenarios run in parallel and share nothing.
package testscripts
