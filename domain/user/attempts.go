package user

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// How many attempts may fail before each makes the next one wait (semantics 14.8.3). A stranger who fails for ever only
// slows down those of the same network; another network has its own free ones.
const (
	freeHere   = 5  // for a person, from a network or in a browser that they know
	freeOfHere = 30 // from a network, for all people
	freeCodes  = 50 // for the second factor of a person, from anywhere: six digits are guessed faster than a password

	crowd = 50 // failures of a person from anywhere, from which each makes its network wait longest
)

const (
	longestWait = 20 * time.Second
	kept        = 15 * time.Minute // how long failures count after the last
)

// Refusal says that an attempt failed. It is the same for an address that is not known and for a wrong password.
type Refusal struct {
	Tried bool          // it was looked at, and does not match; else it was not looked at
	Wait  time.Duration // until the next attempt is looked at; 0: at once
}

// Seconds are those to wait, rounded up.
func (r Refusal) Seconds() int { return int((r.Wait + time.Second - 1) / time.Second) }

// Within is the wait as a text, such as "20 seconds".
func (r Refusal) Within() string {
	if r.Seconds() == 1 {
		return "1 second"
	}
	return fmt.Sprintf("%d seconds", r.Seconds())
}

func (r Refusal) Error() string {
	switch {
	case !r.Tried:
		return "too many attempts failed, so this one was not looked at; try again in " + r.Within()
	case r.Wait > 0:
		return "this does not match; the next try is looked at in " + r.Within()
	}
	return "this does not match"
}

// counts are those that an attempt adds to, each with how many of it are free. At 0 the count itself makes no attempt
// wait: it is that of the crowd.
type counts struct {
	keys []string
	free []int
	own  int // how many, of the first, begin again after an attempt that does not fail
}

// signInCounts are the counts of an attempt to sign in: those of the browser alone, where the person signed in there
// before; otherwise of the network, with the last for all people.
func signInCounts(person, browser, address string) counts {
	if browser != "" {
		return browserCounts("sign in", browser)
	}
	here := network(address)
	return counts{
		keys: []string{countKey("slow person here", person, here), countKey("crowd", person), countKey("slow here", here)},
		free: []int{freeHere, 0, freeOfHere},
		own:  1,
	}
}

// codeCounts are those of a code that completes a sign-in. Who gives one knows the password.
func codeCounts(personID, browser, address string) counts {
	if browser != "" {
		return browserCounts("code", browser)
	}
	here := network(address)
	return counts{
		keys: []string{countKey("code here", personID, here), countKey("code", personID), countKey("slow here", here)},
		free: []int{freeHere, freeCodes, freeOfHere},
		own:  2,
	}
}

func browserCounts(what, browser string) counts {
	return counts{keys: []string{countKey("browser", what, browser)}, free: []int{freeHere}, own: 1}
}

// passwordCounts are those of who is signed in and gives the password again, or a code.
func passwordCounts(s Session) counts {
	return counts{keys: []string{countKey("again in session", s.Person.ID, s.ID)}, free: []int{freeHere}, own: 1}
}

func countKey(parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(hash, "%d %s", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Bits of the network that counts as one: what one customer of a provider may be given, and can change addresses in.
const (
	bitsOf4 = 24
	bitsOf6 = 48
)

// network is the one of an address.
func network(address string) string {
	at, err := netip.ParseAddr(address)
	if err != nil {
		return "" // all that have none share one count
	}
	at, bits := at.Unmap().WithZone(""), bitsOf4
	if at.Is6() {
		bits = bitsOf6
	}
	prefix, _ := at.Prefix(bits) // has as many
	return prefix.String()
}

// slowdown is how long an attempt waits, and how long the next one does if this one fails; 0: not at all.
type slowdown struct{ WaitSeconds, NextSeconds int }

// count counts an attempt as one that failed, before it is made.
func (c counts) count(db *gorm.DB) (d slowdown, err error) {
	err = db.Raw("SELECT * FROM slow_attempt(string_to_array(?, ' '), string_to_array(?, ' ')::integer[], ?, ?, ?)",
		strings.Join(c.keys, " "), strings.Trim(fmt.Sprint(c.free), "[]"), crowd, int(longestWait.Seconds()), int(kept.Seconds())).Scan(&d).Error
	return d, err
}

// waits is a refusal where the attempt is not to be made yet.
func (d slowdown) waits() error {
	if d.WaitSeconds > 0 {
		return Refusal{Wait: time.Duration(d.WaitSeconds) * time.Second}
	}
	return nil
}

// failed is the refusal of an attempt that was made.
func (d slowdown) failed() error {
	return Refusal{Tried: true, Wait: time.Duration(d.NextSeconds) * time.Second}
}

// forgive takes back what count did, since the attempt did not fail.
func (c counts) forgive(db *gorm.DB) error {
	return db.Exec("SELECT forgive_sign_in(string_to_array(?, ' '), ?)", strings.Join(c.keys, " "), c.own).Error
}

// takeBack is forgive for an attempt that was not made, since it found no processor. It returns why it was not.
func (c counts) takeBack(ctx context.Context, st *store.Store, why error) error {
	if !errors.Is(why, ErrBusy) {
		return why
	}
	err := st.Shared(store.WithAudit(ctx, ""), counts{keys: c.keys}.forgive)
	return cmp.Or(err, why)
}
