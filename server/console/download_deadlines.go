package console

import (
	"errors"
	"net/http"
	"time"
)

// takenWithin is how long a client may take for a part of a file.
const takenWithin = time.Minute

// deadlines are those of the connection of a download.
type deadlines struct{ connection *http.ResponseController }

// extend gives the client its time for the next part.
func (d deadlines) extend() error { return d.set(time.Now().Add(takenWithin)) }

// cut ends the connection without the end of the file.
func (d deadlines) cut() { _ = d.set(time.Unix(1, 0)) }

func (d deadlines) set(at time.Time) error {
	err := d.connection.SetWriteDeadline(at)
	if errors.Is(err, http.ErrNotSupported) { // outside a real connection
		return nil
	}
	return err
}
