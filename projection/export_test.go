package projection

import "encoding/binary"

// Collide returns another text that an index takes for s, which must have 16
// bytes, by hash.
func Collide(s string) string {
	h := hash(s[:0]) + 16
	lane := func(s string) uint64 { return binary.LittleEndian.Uint64([]byte(s)) }
	ends := mix(h^lane(s[:8])) ^ lane(s[8:])
	for n := uint64(0); ; n++ {
		other := binary.BigEndian.AppendUint64(nil, 0x6161616161616161|n&0xF|n&0xF0<<4|n&0xF00<<8|n&0xF000<<12|n&0xF0000<<16)
		other = binary.LittleEndian.AppendUint64(other, ends^mix(h^lane(string(other))))
		if plain(other) && string(other) != s {
			return string(other)
		}
	}
}

func plain(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// Hash is how an index takes s.
func Hash(s string) uint64 { return hash(s) }
