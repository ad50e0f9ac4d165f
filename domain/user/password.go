package user

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/alexedwards/argon2id"
	"github.com/nbutton23/zxcvbn-go"
	"golang.org/x/text/unicode/norm"

	"tollkeeper/store/fault"
)

// Bounds of a password, in characters. The higher one is for the sake of the server.
const (
	shortestPassword = 12
	longestPassword  = 128
)

// hashing is how passwords are stored: the parameters that OWASP recommends for argon2id.
var hashing = &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// mostHashing bounds how many passwords are computed at once, and so the memory that takes.
const mostHashing = 4

var hashingPlaces = make(chan struct{}, mostHashing)

// computed counts the passwords that were computed, for specs.
var computed atomic.Int64

// unknown is compared where there is no password. It takes as long, and no password matches it.
var unknown = "$argon2id$v=19$m=19456,t=2,p=1$" + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43)

// guessable is the score, of 4, up to which a password is among those that are guessed first.
const guessable = 1

// judged is how much of a password is looked at for words: longer ones are not guessed.
const judged = 64

// checkPassword refuses a password that is too short, too long or guessed first. What others know
// of the person is guessed first, too.
func checkPassword(password string, known ...string) error {
	letters := []rune(norm.NFC.String(password))
	switch {
	case len(letters) < shortestPassword:
		return fault.Bad("password", "must have at least %d characters; a sentence is good", shortestPassword)
	case len(letters) > longestPassword:
		return fault.Bad("password", "must have at most %d characters", longestPassword)
	}
	known = append(known, "tollkeeper", "console", "billing")
	for _, text := range known {
		known = append(known, strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("@.-_+ ", r) })...)
	}
	if zxcvbn.PasswordStrength(string(letters[:min(len(letters), judged)]), known).Score <= guessable {
		return fault.Bad("password", "is among those that are guessed first; choose another")
	}
	return nil
}

// hashPassword returns what is stored of a password.
func hashPassword(ctx context.Context, password string) (stored string, err error) {
	err = hashingInTurn(ctx, func() error {
		stored, err = argon2id.CreateHash(norm.NFC.String(password), hashing)
		return err
	})
	return stored, err
}

// matches reports whether a password is the stored one. Where none is stored it takes as long.
func matches(ctx context.Context, password, stored string) (ok bool, err error) {
	compared := stored
	if stored == "" {
		compared = unknown
	}
	err = hashingInTurn(ctx, func() error {
		ok, err = argon2id.ComparePasswordAndHash(norm.NFC.String(password), compared)
		return err
	})
	return ok && stored != "", err
}

// hashingInTurn waits until few others compute.
func hashingInTurn(ctx context.Context, do func() error) error {
	select {
	case hashingPlaces <- struct{}{}:
		defer func() { <-hashingPlaces }()
		computed.Add(1)
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}
