package console

import (
	"strings"

	"tollkeeper/gen"
)

// changeTitle says what happened to a row.
func changeTitle(c gen.AuditLogChange) string {
	what := strings.ReplaceAll(c.Resource, "_", " ")
	switch {
	case c.Before == nil:
		return "added to " + what
	case c.After == nil:
		return "deleted from " + what
	}
	return "changed in " + what
}
