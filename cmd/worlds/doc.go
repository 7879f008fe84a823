// Command worlds serves worlds and works on them: one verb a file.
//
// The nouns: the grammar is the tree of verbs that kong parses; a terminal is
// where a verb reads and writes; a target is the server, the token and the world
// that a verb is about; a client speaks the admin API; the context file remembers
// the secrets of worlds it was shown; a history is one journal as a file or a data
// folder holds it.
//
// # Caveats
//
// What a verb prints on stdout is its answer, whole: a verb that fails prints one
// line on stderr and nothing on stdout that a script could take for success. The
// logs (events, requests, journal cat) come page by page, one JSON document a
// line; if a later page fails the lines before it stand, and the exit code tells.
//
// Files are written beside their place and renamed, so that a failure or Ctrl-C
// leaves the old file as it was.
package main
