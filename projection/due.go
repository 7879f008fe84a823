package projection

// CountDue is the number of rows due at or before now.
func (s *State) CountDue(now int64) int64 {
	n := int64(0)
	s.due.Scan(func(_ string, d *Due) bool {
		if d.At > now {
			return false
		}
		n++
		return true
	})
	return n
}
