package event

import "tollkeeper/store/tempfile"

// How many events of a request are held in memory, and how many bytes of its body.
const (
	fewEvents = 10_000
	fewBytes  = 4 << 20
)

// Body is the events of one request, in its order. They are held in memory, or in
// a file when they are many, so the memory that a request takes has a bound and its
// length has none.
type Body struct {
	few  []Event
	many *spool // nil: all of them are few
	temp *tempfile.Place
}

// Close gives up the file, if there is one.
func (r *Body) Close() {
	if r.many != nil {
		r.many.close()
	}
}

// add takes the next event. That is how far the body was read for it.
func (r *Body) add(e Event, read int64) error {
	switch {
	case r.many != nil:
		return r.many.add(&e)
	case len(r.few) < fewEvents && read <= fewBytes:
		r.few = append(r.few, e)
		return nil
	}
	return r.spill(e)
}

// spill puts all events into a file.
func (r *Body) spill(last Event) (err error) {
	if r.many, err = newSpool(r.temp); err != nil {
		return err
	}
	for i := range r.few {
		if err := r.many.add(&r.few[i]); err != nil {
			return err
		}
	}
	r.few = nil
	return r.many.add(&last)
}
