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

// parameters are how passwords are stored: those that OWASP recommends for argon2id.
var parameters = &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

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

// hashPassword returns what is stored of a password. Who chooses one is signed in or has a link, and so is known: as who
// says, which is not "".
func hashPassword(ctx context.Context, password, who string) (stored string, err error) {
	err = hashing(ctx, who, func() error {
		stored, err = argon2id.CreateHash(norm.NFC.String(password), parameters)
		return err
	})
	return stored, err
}

// matches reports whether a password is the stored one. Where none is stored it takes as long. Who asks is known as who
// says, or with "" a stranger.
func matches(ctx context.Context, password, stored, who string) (ok bool, err error) {
	compared := stored
	if stored == "" {
		compared = unknown
	}
	err = hashing(ctx, who, func() error {
		ok, err = argon2id.ComparePasswordAndHash(norm.NFC.String(password), compared)
		return err
	})
	return ok && stored != "", err
}

// hashing does what hashes a password when there is a processor for it.
func hashing(ctx context.Context, who string, do func() error) error {
	if err := hashes.enter(ctx, who); err != nil {
		return err
	}
	defer hashes.release()
	computed.Add(1)
	return do()
}
