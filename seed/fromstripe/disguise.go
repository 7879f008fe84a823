package fromstripe

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
)

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// digest is what everything that stands for something else is made of.
func digest(label, s string) [sha256.Size]byte {
	return sha256.Sum256([]byte("worlds import:" + label + ":" + s))
}

// token is n letters and digits that stand for a text.
func token(label, s string, n int) string {
	sum := digest(label, s)
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return string(out)
}

const (
	idLength    = 24
	shortLength = 4
)

func hashedID(prefix, id string) string { return prefix + token(prefix, id, idLength) }
func short(label, id string) string     { return token(label, id, shortLength) }
func planName(priceID string) string    { return "Plan " + short("price", priceID) }

var firstNames = [...]string{"Ada", "Bela", "Carmen", "Dario", "Elif", "Femi", "Greta", "Hana", "Igor", "Jonas", "Keiko", "Lena",
	"Mateo", "Nadia", "Omar", "Petra", "Quentin", "Rosa", "Sven", "Tara", "Ugo", "Vera", "Wanda", "Xenia", "Yusuf", "Zoe"}

var lastNames = [...]string{"Abel", "Brandt", "Castro", "Dahl", "Eriksen", "Fontaine", "Gruber", "Hoang", "Ivanov", "Jansen", "Kowal", "Lindt",
	"Moreau", "Novak", "Okoye", "Pereira", "Quist", "Rossi", "Sato", "Tanaka", "Ueda", "Varga", "Weber", "Xu", "Yilmaz", "Zeman"}

// fakeName is the name of nobody, the same for the same id.
func fakeName(id string) string {
	sum := digest("name", id)
	a, b := binary.BigEndian.Uint16(sum[:]), binary.BigEndian.Uint16(sum[2:])
	return firstNames[int(a)%len(firstNames)] + " " + lastNames[int(b)%len(lastNames)]
}

// sharedAddress is the address that stands for an email: that of the first customer
// who has it, so that those who share one go on sharing one.
func sharedAddress(given map[string]string, email, id string) string {
	key := strings.ToLower(strings.TrimSpace(email))
	if given[key] == "" {
		name := strings.ToLower(strings.ReplaceAll(fakeName(id), " ", "."))
		given[key] = fmt.Sprintf("%s.%s@customers.example", name, strings.ToLower(token("email", id, 10)))
	}
	return given[key]
}
