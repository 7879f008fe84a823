package sim

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// Scenario is one scenario file.
type Scenario struct {
	ID   string // of hyphenated words; the name of the file
	Name string // free prose
	File string
	Reds int    // how many reds are known of it
	Pair string // the scenario that differs from it by one flag, "" for none

	writers []string // that lines begin with
	holds   bool     // it says itself who goes when
	text    []byte
}

// Load reads a scenario file. Its name is the first comment of the file.
func Load(file string) (*Scenario, error) {
	s, err := load(os.DirFS(filepath.Dir(file)), filepath.Base(file))
	if err == nil {
		s.File = file
	}
	return s, err
}

func load(dir fs.FS, file string) (*Scenario, error) {
	text, err := fs.ReadFile(dir, file)
	if err != nil {
		return nil, err
	}
	return Parse(strings.TrimSuffix(file, ".txtar"), text)
}

// Parse reads a scenario.
func Parse(id string, text []byte) (*Scenario, error) {
	s := &Scenario{ID: id, text: text}
	for _, c := range id {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return nil, fmt.Errorf("%q: the id of a scenario is of small letters, digits and hyphens", id)
		}
	}
	named := false // the comment that is the name has ended
	for line := range bytes.Lines(txtar.Parse(text).Comment) {
		text := strings.TrimSpace(string(line))
		comment, ok := strings.CutPrefix(text, "#")
		if named = named || !ok; !named {
			s.Name = strings.TrimSpace(s.Name + " " + strings.TrimSpace(comment))
		}
		words := strings.Fields(strings.TrimPrefix(text, "! "))
		if len(words) == 0 {
			continue
		}
		if strings.HasPrefix(words[0], keyPrefix) && !slices.Contains(s.writers, words[0]) {
			s.writers = append(s.writers, words[0])
		}
		s.holds = s.holds || slices.Contains(directing, words[0])
	}
	s.Name = strings.TrimSuffix(s.Name, ".")
	return s, nil
}

// directing are the commands that say who goes when, which an exploration is to
// find out.
var directing = []string{"arm", "await", "hold", "park", "until", "during", "begin-op", "begin-delivery", "deliver", "fire", "select", "restart"}

//go:embed book
var builtIn embed.FS

// Book is the book of this program.
func Book() ([]*Scenario, error) {
	dir, err := fs.Sub(builtIn, "book")
	if err != nil {
		return nil, err
	}
	return loadBook(dir)
}

// LoadBook reads the scenarios of a folder in the order of its book.txt, each line of
// which is "ID REDS [pair=ID]"; lines that begin with # are comments.
func LoadBook(dir string) ([]*Scenario, error) {
	book, err := loadBook(os.DirFS(dir))
	for _, s := range book {
		s.File = filepath.Join(dir, s.ID+".txtar")
	}
	return book, err
}

func loadBook(dir fs.FS) ([]*Scenario, error) {
	text, err := fs.ReadFile(dir, "book.txt")
	if err != nil {
		return nil, err
	}
	var book []*Scenario
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) < 2 || len(words) > 3 {
			return nil, fmt.Errorf("book.txt:%d: a line is: ID REDS [pair=ID]", n)
		}
		s, err := load(dir, words[0]+".txtar")
		if err != nil {
			return nil, fmt.Errorf("book.txt:%d: %w", n, err)
		}
		if s.Reds, err = strconv.Atoi(words[1]); err != nil {
			return nil, fmt.Errorf("book.txt:%d: %w", n, err)
		}
		if len(words) == 3 {
			pair, ok := strings.CutPrefix(words[2], "pair=")
			if !ok {
				return nil, fmt.Errorf("book.txt:%d: %q is not pair=ID", n, words[2])
			}
			s.Pair = pair
		}
		book = append(book, s)
	}
	return book, checkBook(dir, book)
}

// checkBook refuses a book that misses a file or has pairs that are not neighbours.
func checkBook(dir fs.FS, book []*Scenario) error {
	files, err := fs.Glob(dir, "*.txtar")
	if err != nil {
		return err
	}
	at := map[string]int{}
	for i, s := range book {
		if _, twice := at[s.ID]; twice {
			return fmt.Errorf("book.txt: %s is there twice", s.ID)
		}
		at[s.ID] = i
	}
	for _, f := range files {
		if _, ok := at[strings.TrimSuffix(f, ".txtar")]; !ok {
			return fmt.Errorf("book.txt does not have %s", f)
		}
	}
	for i, s := range book {
		if j, ok := at[s.Pair]; s.Pair != "" && (!ok || j != i-1 && j != i+1) {
			return fmt.Errorf("book.txt: %s is not beside its pair %s", s.ID, s.Pair)
		}
	}
	return nil
}

// Select returns the scenarios whose id or name holds one of the filters, all for
// none. A filter that is a whole id is that scenario alone.
func Select(book []*Scenario, filters []string) ([]*Scenario, error) {
	if len(filters) == 0 {
		return book, nil
	}
	picked := make([]bool, len(book))
	for _, f := range filters {
		whole := slices.IndexFunc(book, func(s *Scenario) bool { return s.ID == f })
		found := false
		for i, s := range book {
			if whole >= 0 && i != whole {
				continue
			}
			if strings.Contains(s.ID, f) || strings.Contains(strings.ToLower(s.Name), strings.ToLower(f)) {
				picked[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("No scenario matches %s", f) //nolint:staticcheck // it is shown as it stands
		}
	}
	var out []*Scenario
	for i, s := range book {
		if picked[i] {
			out = append(out, s)
		}
	}
	return out, nil
}
