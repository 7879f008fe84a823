//go:build !race

package testscripts_test

// killRounds is how many kills a test run makes in all, unless WORLDS_KILL_ROUNDS
// says another number.
const killRounds = 6
