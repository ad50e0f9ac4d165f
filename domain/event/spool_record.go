package event

import (
	"encoding/binary"
	"strings"
	"time"
)

// appendEvent writes an event for [eventOf]. Nothing outlives the process, so the
// form may change at any time.
func appendEvent(b []byte, e *Event) []byte {
	b = appendText(b, e.Key)
	b = appendText(b, e.Name)
	b = appendText(b, e.Subject)
	b = binary.AppendVarint(b, e.Timestamp.UnixMicro())
	b = appendText(b, e.Properties)
	for _, f := range e.failures {
		b = binary.AppendUvarint(b, uint64(f.step))
		b = appendText(b, f.reason)
	}
	return b
}

func eventOf(record []byte) (e Event) {
	r := recordReader{record}
	e.Key, e.Name, e.Subject = string(r.bytes()), string(r.bytes()), string(r.bytes())
	e.Timestamp = time.UnixMicro(r.signed()).UTC()
	e.Properties = string(r.bytes())
	if id, ok := strings.CutPrefix(e.Subject, byID); ok {
		e.customerID = id
	}
	for len(r.text) > 0 {
		e.failures = append(e.failures, failure{step(r.number()), string(r.bytes())})
	}
	return e
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// recordReader reads what was written here before.
type recordReader struct{ text []byte }

func (r *recordReader) number() uint64 {
	v, n := binary.Uvarint(r.text)
	r.text = r.text[n:]
	return v
}

func (r *recordReader) signed() int64 {
	v, n := binary.Varint(r.text)
	r.text = r.text[n:]
	return v
}

func (r *recordReader) bytes() []byte {
	n := r.number()
	text := r.text[:n]
	r.text = r.text[n:]
	return text
}
