package canon_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"worlds/journal/canon"
)

// page is a list of n customers, as canonical bytes.
func page(n int) []byte {
	list := make([]*customer, n)
	for i := range list {
		list[i] = newCustomer()
	}
	return canon.Marshal(&list)
}

func BenchmarkAppend(b *testing.B) {
	c := newCustomer()
	size := int64(len(canon.Marshal(c)))
	b.Run("canon", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		buf := make([]byte, 0, 4096)
		for b.Loop() {
			buf = canon.Append(buf[:0], c)
		}
	})
	b.Run("canon-fresh", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			canon.Marshal(c)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(c); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkUnmarshal(b *testing.B) {
	data := canon.Marshal(newCustomer())
	b.Run("canon", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var c customer
			if err := canon.Unmarshal(data, &c); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var c customer
			if err := json.Unmarshal(data, &c); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCanonicalize(b *testing.B) {
	sorted := canon.Marshal(newCustomer())
	spaced := canon.AppendPretty(nil, sorted, "id", "object")
	for _, input := range []struct {
		name string
		text []byte
	}{{"sorted", sorted}, {"pretty", spaced}, {"page", page(100)}} {
		b.Run(input.name+"/canon", func(b *testing.B) {
			b.SetBytes(int64(len(input.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := canon.Canonicalize(input.text); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(input.name+"/jcs", func(b *testing.B) {
			b.SetBytes(int64(len(input.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jcs.Transform(input.text); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(input.name+"/encoding-json", func(b *testing.B) {
			b.SetBytes(int64(len(input.text)))
			b.ReportAllocs()
			for b.Loop() {
				var v any
				if err := json.Unmarshal(input.text, &v); err != nil {
					b.Fatal(err)
				}
				if _, err := json.Marshal(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkValid(b *testing.B) {
	data := canon.Marshal(newCustomer())
	b.Run("canon", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if err := canon.Valid(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if !json.Valid(data) {
				b.Fatal("invalid")
			}
		}
	})
}

func BenchmarkPretty(b *testing.B) {
	data := canon.Marshal(newCustomer())
	b.Run("canon", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			canon.AppendPretty(nil, data, "id", "object")
		}
	})
	b.Run("canon-reused", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		var buf []byte
		for b.Loop() {
			buf = canon.AppendPretty(buf[:0], data, "id", "object")
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var buf bytes.Buffer
			if err := json.Indent(&buf, data, "", "  "); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkGet(b *testing.B) {
	data := canon.Marshal(newCustomer())
	for _, key := range []string{"address", "id", "version_of_the_tax_rules"} {
		b.Run("canon/"+key, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := canon.Get(data, key); !ok {
					b.Fatal("missing")
				}
			}
		})
	}
	b.Run("encoding-json/id", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v struct {
				ID string `json:"id"`
			}
			if err := json.Unmarshal(data, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSkip(b *testing.B) {
	data := page(100)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if canon.Skip(data) != len(data) {
			b.Fatal("short")
		}
	}
}

func BenchmarkAppendString(b *testing.B) {
	for name, s := range map[string]string{
		"short": "usd", "email": "dana.doublepay@example.com",
		"umlaut": strings.Repeat("Zürich ", 16), "long": strings.Repeat("a plain sentence. ", 64),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			buf := make([]byte, 0, 4096)
			for b.Loop() {
				buf = canon.AppendString(buf[:0], s)
			}
		})
	}
}
