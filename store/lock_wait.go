package store

import (
	"fmt"
	"strings"
	"time"
)

// Session is a session of PostgreSQL that a step of a migration waits for. Only a superuser, a member
// of pg_read_all_stats and the same user see all of it.
type Session struct {
	PID         int    // 0: a prepared transaction (pg_prepared_xacts)
	User        string // "": a process of PostgreSQL itself, such as autovacuum
	Application string
	Since       *time.Time // when its present or last query began; nil where that is not shown
}

// String names the session for an operator.
func (s Session) String() string {
	if s.PID == 0 {
		return "a prepared transaction (see pg_prepared_xacts)"
	}
	text := fmt.Sprintf("session %d", s.PID)
	if s.User == "" {
		return text + " (a process of PostgreSQL, such as autovacuum)"
	}
	text += " of " + s.User
	if s.Application != "" {
		text += fmt.Sprintf(" (%s)", s.Application)
	}
	if s.Since != nil {
		text += ", query begun at " + s.Since.UTC().Format(time.RFC3339)
	}
	return text
}

// LockWait is a step of a migration that waits for other sessions.
type LockWait struct {
	Step     string
	Sessions []Session // the oldest transaction first
	Until    time.Time // the step fails then
}

// LockedError reports that a step of a migration did not get its locks in time. The step changed
// nothing; the steps before it are applied.
type LockedError struct {
	Step     string
	Wait     time.Duration
	Sessions []Session // that it waited for last, the oldest transaction first
	err      error
}

// Error says what the step waited for, and how to end the wait.
func (e *LockedError) Error() string {
	named := make([]string, len(e.Sessions))
	for i, session := range e.Sessions {
		named[i] = session.String()
	}
	what := strings.Join(named, "; ")
	if what == "" {
		what = "sessions that ended meanwhile"
	}
	text := fmt.Sprintf("%s tried for %s to lock what it changes, and changed nothing; it waited for %s", e.Step, e.Wait, what)
	if len(e.Sessions) > 0 && e.Sessions[0].PID != 0 && e.Sessions[0].User != "" {
		text += fmt.Sprintf(": wait until that ends, or end it with SELECT pg_terminate_backend(%d), and start again", e.Sessions[0].PID)
	} else {
		text += ": start again when that has ended"
	}
	return fmt.Sprintf("%s (%v)", text, e.err)
}

// Unwrap returns what the last try failed with.
func (e *LockedError) Unwrap() error { return e.err }
