package store_test

import "testing"

func secondReaderAgrees(t *testing.T, dir string) { t.Helper() }
