package webhook

import "time"

// Bounds of sending.
const (
	AttemptTimeout     = 5 * time.Second  // one attempt, from the dial to the status of the answer
	FlushTimeout       = 30 * time.Second // one flush; what it did not reach stays pending
	answerBytesMax     = 64 << 10         // of an answer's body that is read
	answerWait         = time.Second      // for an answer's body, once there is a status
	answerHeadBytesMax = 64 << 10
)
