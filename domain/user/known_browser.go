package user

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// A browser keeps a token for each person who signed in there, which this server signed. What others try does not hold
// up that person in that browser (semantics 14.8.4). A change of the password ends the tokens of before. A token opens nothing, so it is not stored. Its random part is what failures in
// that browser are counted by: who copies it shares its waits.

// KnownLife is how long a browser is known after a sign-in.
const KnownLife = 400 * 24 * time.Hour // browsers keep no cookie for longer

const (
	mostKnown    = 5 // people of a browser; the one who signed in longest ago is forgotten
	longestKnown = 200
)

// Separators of tokens, and of the parts of one: the person, the browser, the time, the signature.
const (
	betweenTokens = "~"
	betweenParts  = "."
)

// signer signs tokens of browsers for a person.
type signer struct {
	Secret []byte    // another one after each change of the password
	Moment time.Time // now, by the database
}

func findSigner(db *gorm.DB, personID string) (s signer, err error) {
	err = db.Raw("SELECT * FROM browser_secret_of(?)", personID).Row().Scan(&s.Secret, &s.Moment)
	return s, err
}

// RememberBrowser returns what the browser keeps after a person has signed in there, who did so with what it kept before.
func RememberBrowser(ctx context.Context, st *store.Store, personID, before string) (tokens string, err error) {
	var s signer
	err = st.Shared(store.WithAudit(ctx, ""), func(db *gorm.DB) error {
		s, err = findSigner(db, personID)
		return err
	})
	if err != nil {
		return "", err
	}
	browser, known := s.find(before, personID)
	if !known {
		browser = newToken()
	}
	all := []string{s.sign(personID, browser)}
	for _, token := range split(before) {
		if !strings.HasPrefix(token, personID+betweenParts) {
			all = append(all, token)
		}
	}
	return strings.Join(all[:min(len(all), mostKnown)], betweenTokens), nil
}

// browserOf returns the browser of a request, "" where the person did not sign in there.
func (r Request) browserOf(db *gorm.DB, personID string) (browser string, err error) {
	s, err := findSigner(db, personID)
	if err != nil {
		return "", err
	}
	browser, _ = s.find(r.Known, personID)
	return browser, nil
}

func (s signer) sign(personID, browser string) string {
	text := strings.Join([]string{personID, browser, strconv.FormatInt(s.Moment.Unix(), 36)}, betweenParts)
	return text + betweenParts + s.code(text)
}

func (s signer) code(text string) string {
	mac := hmac.New(sha256.New, s.Secret)
	_, _ = mac.Write([]byte("known browser " + text)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// find returns the browser of the token of a person, if there is one that is signed and not too old.
func (s signer) find(tokens, personID string) (browser string, ok bool) {
	for _, token := range split(tokens) {
		parts := strings.Split(token, betweenParts)
		if len(parts) != 4 || parts[0] != personID {
			continue
		}
		code := s.code(strings.Join(parts[:3], betweenParts))
		seconds, err := strconv.ParseInt(parts[2], 36, 64)
		if err == nil && hmac.Equal([]byte(code), []byte(parts[3])) && s.Moment.Sub(time.Unix(seconds, 0)) < KnownLife {
			return parts[1], true
		}
	}
	return "", false
}

// split returns the tokens of a browser, as far as they may be some.
func split(tokens string) []string {
	all := strings.SplitN(tokens, betweenTokens, mostKnown+1)
	all = all[:min(len(all), mostKnown)]
	return slices.DeleteFunc(all, func(token string) bool { return token == "" || len(token) > longestKnown })
}
