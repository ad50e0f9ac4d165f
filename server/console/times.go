package console

import (
	"time"

	"github.com/a-h/templ"
)

// timeOrNone shows an instant of a record.
func timeOrNone(at *time.Time) templ.Component {
	if at == nil {
		return none()
	}
	return instant(at.UTC().Format(time.RFC3339))
}
