package user

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// ErrLinkEnded says that a link opens nothing: there is none such, it was used, withdrawn or
// replaced, or its time is over.
var ErrLinkEnded = errors.New("the link does not work any more")

// newToken returns 32 random bytes as text.
func newToken() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(secret[:])
}

// digest is what is stored of a token.
func digest(token string) []byte {
	hash := sha256.Sum256([]byte(token))
	return hash[:]
}

// FormToken is what the forms of a page carry, so that no other site can send them. It follows
// from the token in a cookie and does not tell it.
func FormToken(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = mac.Write([]byte("form of the console"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// NewFormSecret is a token for the cookie of somebody who has not signed in.
func NewFormSecret() string { return newToken() }

// clean makes text of a client fit for the database: valid, and at most so many bytes.
func clean(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}
