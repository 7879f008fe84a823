// Package dst is deterministic simulation testing: histories that nobody wrote, on
// whole servers, with an adversary on the wire and properties that must hold all the
// way. `worlds dst` runs it, and so does `go test -tags dst ./testscripts/dst`;
// docs/dst.md says how to run, read, reproduce and extend it.
//
// # Nouns
//
//   - run: one simulation. Its seed, rounds, profile, width and delivery mode determine
//     it, with the rules of the engine and the worlds' seeds: the same run twice ends in
//     the same journal bytes. A sweep is several; a soak many, with files kept.
//   - engine: a whole server in this process, without a socket.
//   - space: one world of a run, with what the harness knows of it from outside.
//   - Op: one operation of a history, sent to a twin, by the operator, or an act of the
//     harness itself; it names what the history made by symbols.
//   - course: several operations on one world that each name what those before them made.
//   - generator: makes operations from the route tables of the twins and the operator.
//   - Story: a history and how attempts to deliver went in it; what is shrunk and kept.
//   - post: the listeners of a run, and the ways in which attempts to deliver end.
//   - reader: a consumer that goes on behind the last event it worked on.
//   - Failure: a property that did not hold, by a name that stays.
//   - law: what must be true of a world and another that was made a different way.
//   - theory: a model of a twin, see package model.
//   - triple: a route, an outcome, and the state its object was in: what coverage counts.
//
// # Files by role
//
// Randomness is in rand.go and swarm.go, what a run is in config.go and run.go, worlds in
// engine.go and space.go, operations in generate.go, values.go, recipes.go,
// course.go and operator.go, the adversary in network.go, reader.go and acts.go, properties right after
// an operation in check.go, ledger.go and oracle.go, properties at rest in drain.go and
// laws.go, the populated workload in populate.go and certain.go, counts in metrics.go and coverage.go,
// sweeps in sweep.go and soak.go, minimal histories in shrink.go and script.go.
//
// # Caveats
//
// One goroutine works on a run. The harness reads the time of day for the base seed,
// and to bound how long it waits; nothing of a run depends on it.
//
// The same seed in the two delivery modes need not author the same operations: what a
// consumer reads counts in the world, and what is generated next depends on that.
//
// A shrunk history is one that fails alike, which is not always one that fails for the
// same reason.
package dst
