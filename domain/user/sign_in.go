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

// How many attempts may fail before all of their kind wait for the pause: those of a person from
// one network, of a person from anywhere, and from one network for anybody. So a stranger needs
// many networks to keep a person from signing in.
const (
	mostFromHere = 5
	mostOfPerson = 50
	mostOfHere   = 30

	pause = 15 * time.Minute
)

// Refusal says that an attempt to sign in failed. It is the same for an address that is not known
// and for a wrong password.
type Refusal struct {
	Left int           // attempts before the pause
	Wait time.Duration // until another attempt is made; 0: at once
}

func (r Refusal) Error() string {
	minutes := int((r.Wait + time.Minute - 1) / time.Minute)
	switch {
	case r.Wait > 0:
		return fmt.Sprintf("too many attempts failed; try again in %d minutes", max(minutes, 1))
	case r.Left == 0:
		return fmt.Sprintf("this does not match; the next try is possible in %d minutes", int(pause.Minutes()))
	}
	return fmt.Sprintf("this does not match; %d more tries, then a pause of %d minutes", r.Left, int(pause.Minutes()))
}

// errChanged says that what an attempt was compared with has changed meanwhile.
var errChanged = errors.New("the password was changed meanwhile")

// SignIn begins a session for who knows the password of the person with an address, or fails with a
// [Refusal] or [ErrBusy]. If the person has a second factor, the session waits for it.
func SignIn(ctx context.Context, st *store.Store, email, password string, from Request) (token string, waiting bool, err error) {
	if hashes.isFull() {
		return "", false, ErrBusy // before the database is asked
	}
	ctx = store.WithAudit(ctx, "") // it changes nothing
	counted := signInCounts(emailKey(email), from.Address)
	var left int
	var known struct{ Person, Stored string }
	err = st.Shared(ctx, func(db *gorm.DB) error {
		if left, err = counted.count(db); err != nil {
			return err
		}
		return db.Raw("SELECT * FROM find_sign_in(?)", emailKey(email)).Scan(&known).Error
	})
	if err != nil {
		return "", false, err
	}
	if left, err = counted.answer(left); err != nil {
		return "", false, err
	}
	right, err := matches(ctx, password, known.Stored, false)
	if err != nil {
		return "", false, counted.takeBack(ctx, st, err)
	}
	if !right {
		return "", false, Refusal{Left: left}
	}
	token, waiting, err = admit(ctx, st, known.Person, known.Stored, counted, from)
	if errors.Is(err, errChanged) {
		err = Refusal{Left: left}
	}
	return token, waiting, err
}

// admit begins the session of a person whose password was right.
func admit(ctx context.Context, st *store.Store, personID, stored string, counted counts, from Request) (token string, waiting bool, err error) {
	err = as(ctx, st, personID, func(db *gorm.DB) error {
		var now []struct {
			Password  *string
			Confirmed bool
		}
		err := db.Raw("SELECT password, totp_confirmed AS confirmed FROM credentials WHERE person_id = ? FOR SHARE", personID).Scan(&now).Error
		if err != nil {
			return err
		}
		if len(now) == 0 || now[0].Password == nil || *now[0].Password != stored {
			return errChanged
		}
		waiting = now[0].Confirmed
		if err := counted.forgive(db); err != nil { // codes of a second factor are counted apart
			return err
		}
		if err := db.Exec("SELECT forget_sessions()").Error; err != nil {
			return err
		}
		token, err = startSession(db, personID, waiting, from)
		return err
	})
	return token, waiting, err
}

// counts are those that an attempt adds to, each with the most that may fail.
type counts struct {
	keys []string
	most []int
	own  int // how many, of the first, are of one person
}

// signInCounts are the counts of an attempt to sign in. The last is the network's alone.
func signInCounts(person, address string) counts {
	here := network(address)
	return counts{
		keys: []string{countKey("person here", person, here), countKey("person", person), countKey("here", here)},
		most: []int{mostFromHere, mostOfPerson, mostOfHere},
		own:  2,
	}
}

// passwordCounts are those of somebody who is signed in and gives the password again, or a code.
func passwordCounts(personID string) counts {
	return counts{
		keys: []string{countKey("again", personID)},
		most: []int{mostFromHere},
		own:  1,
	}
}

// How many links for a new password are mailed before the pause: to one address, and for one network.
const (
	mostForgotten     = 3
	mostForgottenHere = 10
)

// forgottenCounts are those of a link that is asked for.
func forgottenCounts(person, address string) counts {
	return counts{
		keys: []string{countKey("forgotten", person), countKey("forgotten here", network(address))},
		most: []int{mostForgotten, mostForgottenHere},
		own:  1,
	}
}

func countKey(parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		_, _ = fmt.Fprintf(hash, "%d %s", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// network is what counts as one address: of version 6, all that a household or a machine is given.
func network(address string) string {
	at, err := netip.ParseAddr(address)
	if err != nil {
		return "" // all that have none share one count
	}
	if at = at.Unmap().WithZone(""); at.Is6() {
		prefix, _ := at.Prefix(64) // has as many bits
		return prefix.String()
	}
	return at.String()
}

// count counts an attempt as one that failed, before it is made. It returns how many are left, or,
// below 0, the seconds to wait.
func (c counts) count(db *gorm.DB) (left int, err error) {
	var counted struct{ WaitSeconds, Remaining int }
	err = db.Raw("SELECT * FROM count_sign_in(string_to_array(?, ' '), string_to_array(?, ' ')::integer[], ?)",
		strings.Join(c.keys, " "), strings.Trim(fmt.Sprint(c.most), "[]"), int(pause.Seconds())).Scan(&counted).Error
	if counted.WaitSeconds > 0 {
		return -counted.WaitSeconds, err
	}
	return counted.Remaining, err
}

// answer is what count found: the attempts that are left, or a refusal.
func (counts) answer(left int) (int, error) {
	if left < 0 {
		return 0, Refusal{Wait: time.Duration(-left) * time.Second}
	}
	return left, nil
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
