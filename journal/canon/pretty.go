package canon

// maxFirst is how many keys AppendPretty can put first.
const maxFirst = 8

// AppendPretty appends the canonical value as people read it: two spaces of
// indentation, one member or element a line, one space after a colon, empty
// objects and arrays as {} and []. In every object, at every depth, the keys
// in first that it has come first and in that order; the other members keep
// their stored order. There is no line end after the value. It panics if there
// are more than 8 first keys or if one of them needs an escape.
func AppendPretty(dst, canonical []byte, first ...string) []byte {
	if len(first) > maxFirst {
		panic("canon: AppendPretty with more than 8 first keys")
	}
	for _, key := range first {
		if !plain(key) {
			panic("canon: AppendPretty with a first key that needs an escape: " + key)
		}
	}
	if need := len(dst) + 2*len(canonical) + 64; need > cap(dst) {
		dst = append(make([]byte, 0, need), dst...)
	}
	w := printer{dst: dst, src: canonical}
	w.firsts = copy(w.first[:], first)
	w.value(0)
	return w.dst
}

type printer struct {
	dst, src []byte
	pos      int
	first    [maxFirst]string
	firsts   int // how many of first there are
}

func (w *printer) value(depth int) {
	if w.pos+1 < len(w.src) && depth < MaxDepth {
		switch w.src[w.pos] {
		case '{':
			if w.src[w.pos+1] == '"' {
				w.object(depth + 1)
				return
			}
		case '[':
			if w.src[w.pos+1] != ']' {
				w.array(depth + 1)
				return
			}
		}
	}
	n := Skip(w.src[w.pos:])
	w.dst = append(w.dst, w.src[w.pos:w.pos+n]...)
	w.pos += n
}

func (w *printer) array(depth int) {
	w.pos++
	w.dst = append(w.dst, '[', '\n')
	for w.pos < len(w.src) {
		w.indent(depth)
		w.value(depth)
		w.dst = append(w.dst, ',', '\n')
		if w.last() {
			break
		}
	}
	w.close(']', depth)
}

func (w *printer) object(depth int) {
	w.pos++
	w.dst = append(w.dst, '{', '\n')
	front := len(w.dst)
	var ends [maxFirst]int // behind the i-th first key's member, if present
	for w.pos < len(w.src) {
		start := len(w.dst)
		w.indent(depth)
		end := stringEnd(w.src, w.pos)
		key := w.src[w.pos:end]
		w.dst = append(w.dst, key...)
		w.dst = append(w.dst, ':', ' ')
		w.pos = min(end+1, len(w.src))
		w.value(depth)
		w.dst = append(w.dst, ',', '\n')
		if i := w.rank(key); i >= 0 {
			w.promote(front, start, i, &ends)
		}
		if w.last() {
			break
		}
	}
	w.close('}', depth)
}

// rank returns the place of the quoted key among the first keys, or -1.
func (w *printer) rank(key []byte) int {
	for i, f := range w.first[:w.firsts] {
		if len(key) == len(f)+2 && string(key[1:len(key)-1]) == f {
			return i
		}
	}
	return -1
}

// promote moves the member just printed, dst[start:], to its place behind the
// first keys that rank before it. The spare room behind dst is the scratch.
func (w *printer) promote(front, start, rank int, ends *[maxFirst]int) {
	to := front
	for _, end := range ends[:rank] {
		to = max(to, end)
	}
	n := len(w.dst) - start
	ends[rank] = to + n
	for i := rank + 1; i < maxFirst; i++ {
		if ends[i] > 0 {
			ends[i] += n
		}
	}
	if to == start {
		return
	}
	w.dst = append(w.dst, w.dst[start:]...)
	copy(w.dst[to+n:], w.dst[to:start])
	copy(w.dst[to:], w.dst[start+n:])
	w.dst = w.dst[:start+n]
}

// last steps over the comma or the closing byte and reports the latter.
func (w *printer) last() bool {
	if w.pos >= len(w.src) {
		return true
	}
	w.pos++
	return w.src[w.pos-1] != ','
}

// close ends a container: no comma behind its last line.
func (w *printer) close(c byte, depth int) {
	w.dst = append(w.dst[:len(w.dst)-2], '\n')
	w.indent(depth - 1)
	w.dst = append(w.dst, c)
}

const spaces = "                                                                                                                                "

func (w *printer) indent(depth int) {
	w.dst = append(w.dst, spaces[:2*depth]...)
}
