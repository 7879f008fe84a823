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
//	deliveries
//		Print the delivery ledger, one row a line: #n type endpoint status attempts
//		outcome.
//	diff FROM [TO]
//		Print what changed between two positions (a mark or a number of an
//		entry; TO is the present), as indented JSON.
//	dump [VAR]
//		Print the canonical dump of the world, or set VAR to its SHA-256.
//	events
//		Print the types of the events since the last call, oldest first, one a
//		line.
//	fork NAME [AT] [-key KEY]
//		Branch the world after a position (the present by default) as NAME, and
//		go on in the branch.
//	fault add JSON|FILE
//		Add a fault rule. A rule that never acted fails the scenario.
//	fault list
//		Print the rules, one a line: id, how often it matched and acted.
//	fault rm ID
//		Remove a rule.
//	flush
//		Deliver what is due now and print the rows tried, as deliveries does.
//	header NAME [VALUE]
//		Check that the last answer has the header, with that value.
//	hook start [-auto] [-logical] [-version V] [-events TYPE,…]
//		Start a listener, unless it runs, and make it the world's endpoint; events
//		are delivered when a flush or quiesce says so (-auto: after each answer).
//		It sets HOOK_URL.
//	hook listen NAME
//		Start another listener and set NAME_URL, for endpoints made by the API.
//	hook answer [-name NAME] WORD…
//		Answer deliveries so, the n-th with the n-th word, later ones with the
//		last: a status, hang, endless, big, reset or garbage.
//	hook expect [-name NAME] [TYPE…]
//		Check that just these events came since the last such check.
//	hook verify [-name NAME] [SECRET]
//		Check the signature of everything that came, by the secret of the world's
//		endpoint if no other is named, and that an event came with the same bytes
//		each time.
//	journal
//		Print the world's entries, one a line: #n actor method path status.
//	json PATH [VALUE]
//		Check a member of the last answer: .error.code, .data[0].id, .data[-1];
//		PATH.length is the length of an array. Without VALUE: it is there and not null.
//	key LABEL [REQUESTS]
//		Add an API key, which may last for so many requests.
//	mark NAME
//		Name the present position.
//	quiesce
//		Wait until no request is in flight and nothing is due.
//	replay [fold|re-decide]
//		Re-make the world from its journal and compare (default: re-decide).
//	requests
//		Print the request log, one a line: method, route, status, and the rule that
//		answered with why.
//	resend EVENT [ENDPOINT]
//		Deliver an event once more, and print as deliveries does.
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
//	zendesk [-as EMAIL] [-bearer TOKEN] [-behalf WHO] [-idem KEY] [-none] METHOD PATH [JSON]
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
// every invariant of docs/invariants.md holds; every fault rule has acted.
//
// # Caveats
//
// A scenario has a server of its own, in this process, on a port of 127.0.0.1 that
// the system chooses. Scenarios run in parallel and share nothing.
package testscripts
