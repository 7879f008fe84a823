package dst

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Config says what a sweep does. A run is determined by its seed, Rounds, Profile,
// Width and Delivery, together with the rules of the engine and the worlds' seed.
type Config struct {
	Seeds    int    // how many runs
	Base     uint64 // seed of the first; those after it follow by one
	Rounds   int    // of one run
	Profile  string // sparse, populated or mixed (even seeds are populated)
	Width    int    // worlds of one run, 2 at least
	Delivery string // full or delta
	Models   string // the twins that are held against a model: stripe,zendesk
	Debug    string // kinds and ids, joined by commas, whose operations are printed
}

// The profiles and the modes of delivery.
const (
	Sparse    = "sparse"
	Populated = "populated"
	Mixed     = "mixed"
	Full      = "full"
	Delta     = "delta"
	Models    = apiStripe + "," + apiZendesk
)

// Defaults.
const (
	SeedsUsual  = 8
	RoundsUsual = 40
	WidthLeast  = 2
)

// envPrefix begins the names of the environment's variables.
const envPrefix = "WORLDS_DST_"

// FromEnv reads WORLDS_DST_{SEEDS,ROUNDS,SEED_BASE,PROFILE,WIDTH,DELIVERY,
// MODELS,DEBUG}. The
// base seed is the time of day unless it is given, so that every sweep searches
// where none has searched.
func FromEnv() (Config, error) {
	c := Config{Seeds: SeedsUsual, Rounds: RoundsUsual, Profile: Mixed, Width: WidthLeast, Delivery: Full, Models: Models}
	c.Base = uint64(time.Now().Unix()) //worlds:boundary where a sweep begins to search
	var err error
	number := func(name string, into *int) {
		text := os.Getenv(envPrefix + name)
		if text == "" || err != nil {
			return
		}
		if *into, err = strconv.Atoi(text); err != nil {
			err = fmt.Errorf("%s%s is a number, not %q", envPrefix, name, text)
		}
	}
	word := func(name string, into *string) {
		if text := os.Getenv(envPrefix + name); text != "" {
			*into = text
		}
	}
	number("SEEDS", &c.Seeds)
	number("ROUNDS", &c.Rounds)
	number("WIDTH", &c.Width)
	word("PROFILE", &c.Profile)
	word("DELIVERY", &c.Delivery)
	word("MODELS", &c.Models)
	word("DEBUG", &c.Debug)
	if text := os.Getenv(envPrefix + "SEED_BASE"); text != "" && err == nil {
		if c.Base, err = strconv.ParseUint(text, 10, 64); err != nil {
			err = fmt.Errorf("%sSEED_BASE is a number, not %q", envPrefix, text)
		}
	}
	return c, err
}

// Check says what is wrong with a Config.
func (c *Config) Check() error {
	switch {
	case c.Seeds < 1, c.Rounds < 1:
		return fmt.Errorf("there is at least one seed and one round")
	case c.Width < WidthLeast || c.Width > widthMost:
		return fmt.Errorf("the width is %d to %d worlds, not %d", WidthLeast, widthMost, c.Width)
	case c.Profile != Sparse && c.Profile != Populated && c.Profile != Mixed:
		return fmt.Errorf("the profile is %s, %s or %s, not %q", Sparse, Populated, Mixed, c.Profile)
	case c.Delivery != Full && c.Delivery != Delta:
		return fmt.Errorf("the delivery is %s or %s, not %q", Full, Delta, c.Delivery)
	}
	return nil
}

// widthMost bounds the width: worlds cost time.
const widthMost = 8

// profile is that of the run of a seed.
func (c *Config) profile(seed uint64) string {
	switch {
	case c.Profile != Mixed:
		return c.Profile
	case seed%2 == 0:
		return Populated
	}
	return Sparse
}

// Replay is the command that does the run of a seed again.
func (c *Config) Replay(seed uint64) string {
	words := []string{
		envPrefix + "SEEDS=1",
		envPrefix + "SEED_BASE=" + strconv.FormatUint(seed, 10),
		envPrefix + "ROUNDS=" + strconv.Itoa(c.Rounds),
		envPrefix + "PROFILE=" + c.profile(seed),
		envPrefix + "WIDTH=" + strconv.Itoa(c.Width),
		envPrefix + "DELIVERY=" + c.Delivery,
	}
	if c.Models != Models {
		words = append(words, envPrefix+"MODELS="+c.Models)
	}
	return strings.Join(append(words, "worlds dst"), " ")
}
