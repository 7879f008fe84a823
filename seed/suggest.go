package seed

import "strings"

// DidYouMean returns "; did you mean …?" with the one word nearest to what was
// written, or nothing when no word is near.
func DidYouMean(written string, words []string) string {
	best, bestDistance := "", 3
	for _, word := range words {
		if strings.EqualFold(written, word) {
			return "; did you mean " + show(word) + "? (case matters)"
		}
		if distance := editDistance(written, word, bestDistance); distance < bestDistance && distance < len(word)/2+1 {
			best, bestDistance = word, distance
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + show(best) + "?"
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b, or returns limit when there are at least that many.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
