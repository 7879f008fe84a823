package admin

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics is what /metrics shows.
type metrics struct {
	registry *prometheus.Registry
	answers  *prometheus.CounterVec
}

func newMetrics(s *Server) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "worlds_answers_total", Help: "Answers of the twins, by API and status.",
		}, []string{"api", "status"}),
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	m.registry.MustRegister(m.answers, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		gauge("worlds_worlds", "Worlds of the server.", func() float64 { return float64(s.host.Worlds()) }),
		gauge("worlds_journal_entries", "Entries appended since the start.", func() float64 { return float64(s.host.Stats().Entries) }),
		gauge("worlds_journal_batches", "Batches written since the start.", func() float64 { return float64(s.host.Stats().Batches) }),
		gauge("worlds_journal_syncs", "Syncs of the tail since the start.", func() float64 { return float64(s.host.Stats().Syncs) }),
		gauge("worlds_journal_tail_bytes", "Entries not yet on the shelf.", func() float64 { return float64(s.host.Stats().TailBytes) }),
		gauge("worlds_journal_shelf_bytes", "Size of the shelf.", func() float64 { return float64(s.host.Stats().ShelfBytes) }),
	)
	return m
}

func (m *metrics) observe(api string, status int) {
	m.answers.WithLabelValues(api, strconv.Itoa(status)).Inc()
}

func showMetrics(c *call) error {
	promhttp.HandlerFor(c.s.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(c.w, c.r)
	return nil
}
