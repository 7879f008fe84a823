package projection

// posting is the rows of one table that carry one index term, by their creation
// order. Most terms are carried by one row, which needs no map.
type posting struct {
	term  string
	owner *owner
	only  uint64 // the only row, 0 if there are none or several
	rows  ordered[struct{}]
}

func (p *posting) name() string { return p.term }

func (p *posting) add(o *owner, ord uint64) {
	switch {
	case p.rows.root == nil && (p.only == 0 || p.only == ord):
		p.only = ord
		return
	case p.only != 0:
		p.rows.set(o, p.only, nil)
		p.only = 0
	}
	p.rows.set(o, ord, nil)
}

func (p *posting) remove(o *owner, ord uint64) {
	if p.only == ord {
		p.only = 0
	}
	p.rows.delete(o, ord)
}

func (p *posting) empty() bool { return p.only == 0 && p.rows.root == nil }

func (p *posting) ascend(first uint64, yield func(uint64, *struct{}) bool) {
	if p.only != 0 && p.only >= first {
		yield(p.only, nil)
	}
	p.rows.ascend(first, yield)
}

func (p *posting) descend(last uint64, yield func(uint64, *struct{}) bool) {
	if p.only != 0 && p.only <= last {
		yield(p.only, nil)
	}
	p.rows.descend(last, yield)
}
