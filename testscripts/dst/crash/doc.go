// Package crash kills servers at work and looks at what they leave.
//
// A run plays rounds on one data folder. In each a server is started as a process of
// its own, what the last one left is held to the laws, and then the server is told to
// kill itself (SIGKILL) when it passes a place for the n-th time, while clients work.
//
// Nouns:
//
//   - Place: where a server is killed: a point that it passes, and what is asked of it
//     then (the act).
//   - ledger: what was acknowledged, and what was under way when the server died.
//   - Report: what a run came to, for the gates of who runs it.
//
// # The laws
//
// What was acknowledged is there. What was not is there whole or not at all, and
// happens exactly once when it is asked again with its key. The chain has no gap; a
// fold and a re-decision of every journal end in the live state; every invariant
// holds. Every delivery that was pending is sent, in the same bytes if it was sent
// before. While a server lives nobody else can open its folder.
//
// # Use
//
//	func TestMain(m *testing.M) { crash.Child(); os.Exit(m.Run()) }
//
//	report, err := crash.Run(ctx, crash.Config{Seed: 1, Rounds: 40, Dir: dir})
//
// The process that calls Run starts itself again; Child, called first thing in main,
// is where that other process goes. A program that does not call Child cannot be
// told to kill itself, and no server for users does.
//
// # Caveats
//
// A kill of a process is not a power cut: what was written and not synced survives it.
// Run needs a Unix. One process may run several at a time, each in its own folder.
package crash
