// Package sdk has only tests: stock SDKs of three languages do one support job on
// the twin, twice each on fresh worlds, and must leave equal worlds behind. See
// README.md for the scripts.
//
// Caveats: a SDK that is not installed skips its test, unless WORLDS_FORCE_SDK is
// set, as the gate does.
package sdk
