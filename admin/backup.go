package admin

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"strconv"
)

// backupJournal answers everything the server holds. It is written to a temporary
// file first: a slow reader holds up nobody. While it is written no world begins or
// ends; requests go on.
func backupJournal(c *call) error {
	spool, err := os.CreateTemp("", "worlds-backup-*")
	if err != nil {
		return err
	}
	defer func() {
		_ = spool.Close()
		_ = os.Remove(spool.Name())
	}()
	if err := c.s.spoolBackup(spool); err != nil {
		return err
	}
	size, err := spool.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = spool.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", jsonLines)
	c.w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	c.w.WriteHeader(http.StatusOK)
	_, _ = io.Copy(c.w, spool) // a reader that has gone sees it by the length
	return nil
}

func (s *Server) spoolBackup(spool io.Writer) error {
	s.registry.changing.Lock()
	defer s.registry.changing.Unlock()
	w := bufio.NewWriterSize(spool, 1<<20)
	if err := s.host.Backup(w); err != nil {
		return err
	}
	return w.Flush()
}
