package catalog

import (
	"fmt"
	"maps"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// MetricStatus says whether a metric is in use.
type MetricStatus string

const (
	MetricActive   MetricStatus = "active"
	MetricDraft    MetricStatus = "draft"
	MetricArchived MetricStatus = "archived"
)

// Metric measures the use of an item over a period.
type Metric struct {
	store.Record
	Name        string
	Description *string
	ItemID      string
	SQL         string // as the client wrote it; it parses
	Status      MetricStatus
	Metadata    store.Metadata

	Values metric.Parameters `gorm:"-"` // for its parameters, where a price interval or a request gives some
}

// NewMetric is what a client asks for.
type NewMetric struct {
	Name        string
	Description *string
	ItemID      string
	SQL         string
	Metadata    map[string]*string
}

// CreateMetric makes an active metric. SQL outside the language of metrics is an
// invalid request that tells the line and column (semantics 4.1.4).
func CreateMetric(tx *store.Tx, in NewMetric) (Metric, error) {
	if _, err := metric.Parse(in.SQL); err != nil {
		return Metric{}, fault.Bad("sql", "%v", err)
	}
	metadata, err := store.Metadata(nil).Merge(in.Metadata)
	if err != nil {
		return Metric{}, err
	}
	if _, err := FindSellable(tx, in.ItemID); err != nil {
		return Metric{}, err
	}
	m := Metric{
		Record:      tx.Record("metric"),
		Name:        in.Name,
		Description: in.Description,
		ItemID:      in.ItemID,
		SQL:         in.SQL,
		Status:      MetricActive,
		Metadata:    metadata,
	}
	return m, tx.Create(&m).Error
}

// UpdateMetric replaces a metric's metadata by what edit makes of it; nothing else of a
// metric can be changed. A metric that does not exist is fault.Missing.
func UpdateMetric(tx *store.Tx, id string, edit func(*store.Metadata) error) (Metric, error) {
	var m Metric
	err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&m).Error
	if err != nil {
		return Metric{}, store.Found(err, "Metric", id)
	}
	before := m
	if err := edit(&m.Metadata); err != nil {
		return Metric{}, err
	}
	if !maps.Equal(m.Metadata, before.Metadata) {
		webhook.Announce(tx, webhook.MetricEdited, id, before)
	}
	return m, tx.Model(&m).Select("metadata").Updates(&m).Error
}

// Query is the metric's SQL, read, with the values in it. Parameters without a value are
// NULL.
func (m Metric) Query() *metric.Query {
	query, err := m.with(m.Values)
	if err != nil {
		panic(fmt.Sprintf("catalog: metric %s was accepted, but does not parse: %v", m.ID, err))
	}
	return query
}

// QueryOver is the metric's SQL, read, with values for its parameters by time: those in force
// at the instant of an event. There is at least one; they were accepted before.
func (m Metric) QueryOver(spans []metric.Timed) *metric.Query {
	query, err := metric.Parse(m.SQL)
	if err == nil {
		query, err = query.Over(spans)
	}
	if err != nil {
		panic(fmt.Sprintf("catalog: metric %s was accepted, but does not parse: %v", m.ID, err))
	}
	return query
}

func (m Metric) with(values metric.Parameters) (*metric.Query, error) {
	query, err := metric.Parse(m.SQL)
	if err != nil {
		return nil, err
	}
	return query.With(values)
}

// Take gives values to the metric's parameters. Names that it does not have, and values
// that make it no metric, are invalid.
func (m *Metric) Take(values metric.Parameters) error {
	_, err := m.with(values)
	if err == nil {
		m.Values = values
	}
	return fault.In("metric_parameter_overrides", err)
}

// AddsUp reports whether the metric's values over parts of its events sum to that
// over all of them.
func (m Metric) AddsUp() bool { return m.Query().AddsUp() }

// FindMetric returns the metric with that id, or fault.Missing.
func FindMetric(tx *store.Tx, id string) (m Metric, err error) {
	err = tx.Where("id = ?", id).Take(&m).Error
	return m, store.Found(err, "Metric", id)
}

// FindMetrics returns the metrics with those ids, by id. It asks once, and
// leaves out what does not exist.
func FindMetrics(tx *store.Tx, ids []string) (map[string]Metric, error) {
	return findAll(tx, ids, func(m Metric) string { return m.ID })
}

// ListMetrics returns a page of metrics, newest first.
func ListMetrics(tx *store.Tx, created store.Range, page store.Page) (metrics []Metric, next string, err error) {
	return store.List[Metric](created.On(tx.DB, "created_at"), page)
}
