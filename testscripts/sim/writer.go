package sim

import "strings"

// Writers that are not keys.
const (
	adminWriter   = "admin"
	clockWriter   = "clock"
	deliverWriter = "deliverer"
	scriptWriter  = "script"
	faultWriter   = "fault" // what breaks
)

// Handles that more than one writer answers to.
const (
	anyWriter = "any"
	anyAgent  = "any-agent"
)

const keyPrefix = "key:"

// isWriter reports whether a word can name a writer, one that has not been seen yet
// among them.
func isWriter(word string) bool {
	switch head, _, _ := strings.Cut(word, "/"); head {
	case adminWriter, clockWriter, deliverWriter, scriptWriter, faultWriter, anyWriter, anyAgent:
		return true
	}
	return strings.HasPrefix(word, keyPrefix) && len(word) > len(keyPrefix)
}

// answersTo reports whether a writer is meant by a handle. key:1 also means the
// threads key:1/…, and deliverer the ways to all endpoints.
func answersTo(writer, handle string) bool {
	switch handle {
	case anyWriter, "":
		return writer != scriptWriter
	case anyAgent:
		return strings.HasPrefix(writer, keyPrefix)
	}
	return writer == handle || strings.HasPrefix(writer, handle+"/")
}

// keyLabel is the label of the key that a writer uses.
func keyLabel(writer string) string {
	label, _, _ := strings.Cut(writer, "/")
	return label
}
