package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"
	"gorm.io/gorm"

	"tollkeeper/server/contract"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

const (
	keyHeader    = "Idempotency-Key"
	replayHeader = "Idempotent-Replayed"

	// keyLife is how long a key is remembered, by the account's clock.
	keyLife = 48 * time.Hour

	// forgottenAtOnce bounds how many expired keys a new one clears away.
	forgottenAtOnce = 4
)

var (
	errKeyBusy = fault.Conflict("A request with this Idempotency-Key is still running")
	errKeyUsed = fault.Conflict("This Idempotency-Key was used for a different request")
)

// once runs fn in a transaction of the context's account and returns its result.
// Under an Idempotency-Key the result is kept with what fn did, in the same
// transaction: the same request again gets it without running fn, another one
// gets fault.Conflict (semantics 14.3). A failure leaves nothing behind, so the key
// can be used again. T is the body of the answer.
func once[T any](ctx context.Context, s *Server, fn func(tx *store.Tx) (T, error)) (result T, err error) {
	r := requestOf(ctx)
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		r.replayed = false
		if r.key != "" {
			kept, err := recall(tx, r.key, r.print)
			if err != nil {
				return err
			}
			if kept != nil {
				r.replayed = true
				return json.Unmarshal(kept, &result)
			}
		}
		if result, err = fn(tx); err != nil || r.key == "" {
			return err
		}
		answer, err := json.Marshal(result)
		if err != nil {
			return fmt.Errorf("keep an answer: %w", err)
		}
		return remember(tx, r.key, r.print, answer)
	})
	return result, err
}

// keptAnswer is a row of idempotency_keys.
type keptAnswer struct {
	AccountID   string `gorm:"primaryKey"`
	Key         string `gorm:"primaryKey"`
	Fingerprint []byte
	Answer      string // JSON
	CreatedAt   time.Time
}

func (keptAnswer) TableName() string { return "idempotency_keys" }

// recall returns the answer kept under the key. Where there is none it takes the key for this
// transaction and returns nil. A kept answer needs no lock, so replays never refuse one
// another. Only a request whose first one still runs meets the lock: it is looked for again
// behind it, since the first may have ended in between.
func recall(tx *store.Tx, key string, print []byte) ([]byte, error) {
	kept, err := findKept(tx, key, print)
	if err != nil || kept != nil {
		return kept, err
	}
	var free bool
	err = tx.Raw("SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))",
		"idempotency_key "+tx.AccountID+" "+key).Scan(&free).Error
	if err != nil {
		return nil, fmt.Errorf("lock an idempotency key: %w", err)
	}
	kept, err = findKept(tx, key, print)
	if err == nil && kept == nil && !free {
		return nil, errKeyBusy
	}
	return kept, err
}

// findKept returns the answer kept under the key, nil when there is none or its time is over.
func findKept(tx *store.Tx, key string, print []byte) ([]byte, error) {
	var kept keptAnswer
	err := tx.Where("key = ?", key).Take(&kept).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look up an idempotency key: %w", err)
	case tx.Now.Sub(kept.CreatedAt) > keyLife:
		return nil, nil
	case !bytes.Equal(kept.Fingerprint, print):
		return nil, errKeyUsed
	}
	return []byte(kept.Answer), nil
}

// remember keeps the answer under the key and clears a few expired keys away.
func remember(tx *store.Tx, key string, print, answer []byte) error {
	err := tx.Exec(`
		INSERT INTO idempotency_keys (account_id, key, fingerprint, answer, created_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (account_id, key) DO UPDATE
		SET fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at`,
		tx.AccountID, key, print, string(answer), tx.Now).Error
	if err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	err = tx.Exec(`
		DELETE FROM idempotency_keys WHERE account_id = ? AND key = ANY (ARRAY( -- so that they are looked for once
			SELECT key FROM idempotency_keys WHERE account_id = ? AND created_at < ?
			ORDER BY created_at LIMIT ? FOR UPDATE SKIP LOCKED))`,
		tx.AccountID, tx.AccountID, tx.Now.Add(-keyLife), forgottenAtOnce).Error
	if err != nil {
		return fmt.Errorf("forget expired idempotency keys: %w", err)
	}
	return nil
}

// echoKey gives the key back on every answer to a POST or PATCH, refusals
// included, and marks answers that were remembered.
func echoKey(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		key := c.Request().Header.Get(keyHeader)
		if key != "" && keyMatters(c.Request().Method) && validKey(key) {
			r := requestOf(c.Request().Context())
			c.Response().Before(func() {
				c.Response().Header().Set(keyHeader, key)
				if r.replayed {
					c.Response().Header().Set(replayHeader, "true")
				}
			})
		}
		return next(c)
	}
}

// rememberKey notes the key and what is asked under it, for once. Where the
// handler reads the body itself, or nothing is remembered, once is not used.
func rememberKey(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		key := c.Request().Header.Get(keyHeader)
		if key == "" || !keyMatters(c.Request().Method) {
			return next(c)
		}
		if !validKey(key) {
			return fault.Bad(keyHeader, "must be text in UTF-8")
		}
		r := requestOf(c.Request().Context())
		r.key, r.print = key, fingerprint(c.Request(), r.body)
		return next(c)
	}
}

func keyMatters(method string) bool {
	return method == http.MethodPost || method == http.MethodPatch
}

// fingerprint tells requests apart by method, path, query and body; neither the
// order of members nor the spelling of numbers makes a difference.
func fingerprint(r *http.Request, body []byte) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s?%s\n", r.Method, r.URL.EscapedPath(), r.URL.Query().Encode())
	if len(body) > 0 {
		value, _ := contract.ReadJSON(body) // validated: it is JSON
		_ = json.NewEncoder(h).Encode(value)
	}
	return h.Sum(nil)
}

func validKey(key string) bool {
	return utf8.ValidString(key) && utf8.RuneCountInString(key) <= 64
}
