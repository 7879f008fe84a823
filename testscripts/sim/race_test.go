//go:build race

package sim

const booksAtOnce = 4
