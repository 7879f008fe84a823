//go:build race

package testscripts_test

// killRounds is small here: the server under test is another process, built without
// the race detector, which learns nothing from its kills.
const killRounds = 2
