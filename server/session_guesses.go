package server

import (
	"errors"
	"time"

	"tollkeeper/server/contract"
)

// sessionGuesses bounds guessing sessions of the console as that of keys is bounded.
type sessionGuesses struct{ limits *rateLimits }

// Admit implements console.Guesses.
func (g sessionGuesses) Admit(address, secret string) (wait string, ok bool) {
	return refusal(g.limits.admit(address, secret, time.Now())) //nolint:forbidigo // real time
}

func refusal(err error) (wait string, ok bool) {
	var often contract.TooOften
	if errors.As(err, &often) {
		return often.RetryAfter(), false
	}
	return "", true
}

// Worked implements console.Guesses.
func (g sessionGuesses) Worked(secret string) { g.limits.worked(secret) }

// Failed implements console.Guesses.
func (g sessionGuesses) Failed(address, secret string) { g.limits.failed(address, secret, time.Now()) } //nolint:forbidigo // real time
