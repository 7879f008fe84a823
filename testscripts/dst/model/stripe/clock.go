package stripe

// Advance moves the clock to a moment, and lets happen what falls due on the way.
func (m *Model) Advance(to int64) {
	m.undo = nil
	m.request = requestInfo{}
	m.now = max(m.now, to)
}

// tick is the step of an automatic clock.
func (m *Model) tick() {
	was := m.request
	m.Advance(m.now + m.seed.TickBy)
	m.request = was
}
