package twin

// hurry makes the first retry that waits due at once, unless it is that one: the
// mutant retry-hurried.
func (tx *Tx) hurry(but int64) {
	for _, d := range tx.st.PendingDeliveries() {
		if d.Number != but && d.Due > tx.st.Now() {
			hurried := *d
			hurried.Due = tx.st.Now()
			tx.record(&hurried)
			return
		}
	}
}
