package usage

import (
	"fmt"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/store/fault"
)

// Sample is events that a request brings along, to be measured as stored ones are and
// never stored. They count as taken in in their order, each under a key of its own. A
// nil Sample stands for the events that are stored.
type Sample struct {
	names, subjects []string
	timestamps      []time.Time
	properties      []string
}

// NewSample checks events as ingestion does, but for whether their customers exist. A
// fault names the place events[i].
func NewSample(events []event.Inline) (*Sample, error) {
	s := &Sample{}
	var faults []error
	for i, e := range events {
		faults = append(faults, fault.In(fmt.Sprintf("events[%d]", i), s.add(e)))
	}
	return s, fault.Join(faults...)
}

func (s *Sample) add(e event.Inline) error {
	sent, err := e.Read()
	s.names = append(s.names, sent.Name)
	s.subjects = append(s.subjects, sent.Subject)
	s.timestamps = append(s.timestamps, sent.Timestamp)
	s.properties = append(s.properties, sent.Properties)
	return err
}
