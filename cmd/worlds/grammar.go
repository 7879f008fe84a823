package main

import (
	"github.com/posener/complete"
)

// grammar is the tree of verbs.
type grammar struct {
	Serve      serveCmd      `cmd:"" help:"Serve worlds."`
	World      worldCmd      `cmd:"" help:"Create worlds and look at them."`
	Clock      clockCmd      `cmd:"" help:"The clock of a world."`
	Mark       markCmd       `cmd:"" help:"Name the present position of a world, for diffs."`
	Events     eventsCmd     `cmd:"" help:"Print the event log of a world."`
	Requests   requestsCmd   `cmd:"" help:"Print the request log of a world."`
	Journal    journalCmd    `cmd:"" help:"Read, export and verify journals."`
	Replay     replayCmd     `cmd:"" help:"Make a world again from its journal and compare."`
	Seed       seedCmd       `cmd:"" help:"Seeds: where worlds start."`
	Key        keyCmd        `cmd:"" help:"API keys of a world."`
	Webhook    webhookCmd    `cmd:"" help:"Where the events of a world go, and what became of them."`
	Scenario   scenarioCmd   `cmd:"" help:"Faults on purpose: rules that make requests and deliveries fail."`
	Test       testCmd       `cmd:"" help:"Run scenario files."`
	Sim        simCmd        `cmd:"" help:"Play scenarios in which it is said who goes first, or find out who may not."`
	Dst        dstCmd        `cmd:"" help:"Simulate histories that nobody wrote."`
	Bench      benchCmd      `cmd:"" help:"Measure a server of this machine against a bare one."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
	Help       helpCmd       `cmd:"" help:"Print the help of a command."`
	Completion completionCmd `cmd:"" help:"Print a script that completes commands in your shell."`
}

type worldCmd struct {
	Create   worldCreateCmd   `cmd:"" help:"Create a world from a seed; it becomes the current one."`
	List     worldListCmd     `cmd:"" help:"List the worlds of a server."`
	Show     worldShowCmd     `cmd:"" help:"Show a world."`
	Reset    worldResetCmd    `cmd:"" help:"Take a world back to where it began."`
	Delete   worldDeleteCmd   `cmd:"" help:"Delete a world and its journal."`
	Dump     worldDumpCmd     `cmd:"" help:"Print the whole state of a world, canonical."`
	Export   worldExportCmd   `cmd:"" help:"Write a world as a seed."`
	Fork     worldForkCmd     `cmd:"" help:"Branch a world after an entry; the branch becomes the current world."`
	Simulate worldSimulateCmd `cmd:"" help:"Print what a list of commands would do."`
	Diff     worldDiffCmd     `cmd:"" help:"Print what changed between two positions."`
}

type clockCmd struct {
	Show    clockShowCmd    `cmd:"" help:"Print the time in a world."`
	Advance clockAdvanceCmd `cmd:"" help:"Move the clock of a world on, and let happen what falls due."`
}

type markCmd struct {
	Add  markAddCmd  `cmd:"" default:"withargs" help:"Name the present position (the default)."`
	List markListCmd `cmd:"" help:"List the marks of a world."`
}

type journalCmd struct {
	Cat     journalCatCmd     `cmd:"" help:"Print the entries of a journal."`
	Export  journalExportCmd  `cmd:"" help:"Write a whole journal as JSON Lines, to be verified and replayed anywhere."`
	Import  journalImportCmd  `cmd:"" help:"Make an exported journal a world of a server; it becomes the current one."`
	Verify  journalVerifyCmd  `cmd:"" help:"Prove the chain of a journal and fold its facts."`
	Salvage journalSalvageCmd `cmd:"" help:"Write out what can still be read of a damaged data folder."`
	Compact journalCompactCmd `cmd:"" help:"Give the unused space of a data folder back."`
	Backup  journalBackupCmd  `cmd:"" help:"Write everything a server holds to a file, while it serves."`
	Restore journalRestoreCmd `cmd:"" help:"Make a data folder of a backup."`
}

type seedCmd struct {
	List     seedListCmd     `cmd:"" help:"List seeds."`
	Show     seedShowCmd     `cmd:"" help:"Print a seed."`
	Validate seedValidateCmd `cmd:"" help:"Check a seed file."`
	Publish  seedPublishCmd  `cmd:"" help:"Put a seed into the catalog of a server."`
	Import   seedImportCmd   `cmd:"" help:"Make a seed of a real account or help desk, in which nobody can be recognised."`
	Gen      seedGenCmd      `cmd:"" help:"Make a seed of the library anew."`
	Compose  seedComposeCmd  `cmd:"" help:"Join a Stripe seed and a help desk."`
}

type keyCmd struct {
	Add  keyAddCmd  `cmd:"" help:"Add an API key."`
	List keyListCmd `cmd:"" help:"List the API keys."`
	Rm   keyRmCmd   `cmd:"" help:"Remove an API key."`
}

type webhookCmd struct {
	Set        webhookSetCmd        `cmd:"" help:"Set where events go."`
	Rm         webhookRmCmd         `cmd:"" help:"Send events nowhere."`
	Show       webhookShowCmd       `cmd:"" help:"Print where events go."`
	Flush      webhookFlushCmd      `cmd:"" help:"Deliver what is due now."`
	Deliveries webhookDeliveriesCmd `cmd:"" help:"Print the delivery ledger."`
	Resend     webhookResendCmd     `cmd:"" help:"Deliver an event once more."`
	Quiesce    webhookQuiesceCmd    `cmd:"" help:"Wait until no request is in flight and nothing is due."`
}

type scenarioCmd struct {
	Add  scenarioAddCmd  `cmd:"" help:"Add a fault rule."`
	List scenarioListCmd `cmd:"" help:"List the fault rules and their counts."`
	Rm   scenarioRmCmd   `cmd:"" help:"Remove a fault rule."`
}

// predictors complete arguments in the shell.
func predictors() map[string]complete.Predictor {
	return map[string]complete.Predictor{
		"file":   complete.PredictFiles("*"),
		"folder": complete.PredictDirs("*"),
		"world":  complete.PredictFunc(predictWorlds),
		"seed":   complete.PredictOr(complete.PredictFunc(predictSeeds), complete.PredictFiles("*.json")),
	}
}

// predictWorlds offers what the context file knows: a completion asks no server.
func predictWorlds(complete.Args) (names []string) {
	r, err := recall()
	if err != nil {
		return nil
	}
	for _, w := range r.Worlds {
		if w.Name != "" {
			names = append(names, w.Name)
		}
		names = append(names, w.ID)
	}
	return names
}
