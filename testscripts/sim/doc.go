// Package sim plays scenarios in which it is said who goes first. A scenario is a
// testscript file (package testscripts has its commands) in which requests are sent
// by named writers and stand at the points of package world until somebody lets them
// go on. The server, its journal and its deliverer are the real ones; only the
// network is not there, and nothing happens on its own: every request, attempt to
// deliver, retry and wait is a work item that the scheduler takes, one at a time, the
// least (due, enqueued) first. docs/simulation.md tells how scenarios are written,
// played, read and extended.
//
// Nouns: a Scenario is a file; a writer is whoever changes or reads a world (key:1,
// admin, deliverer, clock, script); a point is where a writer can be held; an item is
// one operation or attempt of a writer; a watch waits for a point; a permit lets one
// item go on to its next point; a Schedule is the order of permits; a Result is what
// came of one play.
//
// To write a scenario: Load or Parse, and the commands below. To play: Play, Explore.
// To read: Render, Footer, Markdown, and the Result itself as JSON.
//
//	WRITER stripe|zendesk …   (WRITER is key:LABEL or key:LABEL/NAME)
//		Enqueue a request of that writer; it begins when the scheduler takes it.
//		A second one of the same writer waits for the first; key:1/b is another
//		thread of the same key. A key the world does not have is added.
//	admin reset|clock +N|mark NAME|fork NAME|flush|quiesce|resend EVENT|METHOD PATH [JSON]
//		Enqueue an operation of the operator's; an advance is the writer clock's.
//	answer WRITER
//		Run until the writer's last request has its answer, and make it the one that
//		json, status, header and save read.
//	arm WRITER POINT [OP] [FIELD=VALUE…]
//		Begin to watch for the writer's next time at the point. A point that has gone
//		by is an error.
//	await NAME
//		Run until the watch of that label, or of that writer, has come true.
//	begin-delivery [EVENT] … commit-delivery [EVENT]
//		Let a delivery reach its listener, and take its outcome down later.
//	begin-op WRITER … commit-op WRITER
//		Let a request be in flight, before its place in the journal, until later.
//	budget NAME=VALUE…
//		Set max-hold, max-deliveries, max-logical or max-wall.
//	bug TEXT
//		Say what a known red is about. It stays red.
//	check NAME [not] CONDITION…
//		Note in the trace whether a condition holds; if not, the scenario is red.
//		Conditions: held W, done W, status N, json PATH [VALUE], row TABLE ID PATH
//		VALUE, order X < Y …, rejected N, delivered TYPE N, equal A B.
//	deliver [EVENT]
//		Make the attempts that are next, up to that of the event (an id or a type).
//	during FIELD=VALUE… … end
//		park, and release at end.
//	expect outcome WORD | dump-hash HASH | rejections N
//		The outcome is settled unless said otherwise: stalled, budget-exceeded,
//		error.
//	expire-drain
//		Let the deliverer lose its claims on the endpoints: attempts on their way go
//		on, others may go ahead of them.
//	fence [on|off|count]
//		Refuse a write whose writer has not read what another has changed since.
//	fire delivery|clock|WRITER
//		Run an item while others are held.
//	history [WRITER]
//		Print the points passed, one a line: ordinal, writer, point, what, #n.
//	hold WRITER POINT [OP] [FIELD=VALUE…]
//		arm, then await.
//	inject drain|disk
//		Enqueue a fault: the deliverer loses its claims, or the next write of the
//		journal fails. It happens when the scheduler takes it, the writer is fault.
//	note TEXT
//		Write a line into the trace.
//	park FIELD=VALUE…
//		Hold whoever matches next: route, point, writer, object, event, evt, status,
//		failed, where; label names it, timeout bounds it in permits.
//	release NAME
//		Let a held writer go on, to its end or its next hold.
//	run
//		Take items until there are none, moving the clock to what is due later.
//	select WRITER…
//		Take that writer's item next, whatever the order says.
//	settle
//		Take items until nothing is due.
//	snapshot
//		Print where everything stands, as JSON.
//	stream NAME events|journal … streamed NAME
//		Read a live stream, and print what came.
//	trace
//		Print the trace so far.
//	until FIELD=VALUE…
//		Run until somebody passes such a point, holding nobody.
//	withhold next reads=N [writer=WRITER]
//		Hide the next change from the next reads.
//	writers
//		Print the writers seen, in the order they appeared.
//
// hook start makes the listener the world's endpoint with deliveries enqueued as
// items; with -manual only a flush delivers.
//
// # Caveats
//
// A Scenario may be played any number of times at once; a play uses one goroutine for
// its script and one for each item, of which one runs at any time. Programs run with
// exec do not find the server, which has no port. What a hold decides is the order of
// the journal and of the answers, not what a reader that keeps answers asks for next.
package sim
