// Package requestlog keeps the last requests of each account, for people who look for why a program
// was refused.
//
// The log tells who asked for what, how it ended and how long it took. It has no bodies and no
// parameters of queries, so nothing that is secret comes into it. It is no record of changes: that is the
// audit log. So it may be written beside requests, and be lost with the server that holds it.
package requestlog

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"tollkeeper/store"
)

// Request is a request that came with a key. CreatedAt is the real time of its answer.
type Request struct {
	store.Record
	KeyID      string
	Operation  string // of the contract; "" for an unknown path
	Method     string
	Path       string // as sent, without its query
	Status     int
	TookMicros int64
	RequestID  string // X-Request-Id
	Problem    string // what a failed answer said
}

// TableName is the table of requests.
func (Request) TableName() string { return "api_requests" }

// Took is how long the request took.
func (r Request) Took() time.Duration { return time.Duration(r.TookMicros) * time.Microsecond }

// What is kept of a request, in characters, and of an account.
const (
	longestPath    = 500
	longestProblem = 2000
	longestMethod  = 20

	keptFor  = 7 * 24 * time.Hour
	mostKept = 20_000 // requests of an account
)

// Add stores requests of the transaction's account.
func Add(tx *store.Tx, requests []Request) error {
	if len(requests) == 0 {
		return nil
	}
	rows := make([]Request, len(requests))
	for i, r := range requests {
		r.AccountID, r.ID = tx.AccountID, store.NewID("areq")
		r.Method = storable(r.Method, longestMethod)
		r.Path = storable(r.Path, longestPath)
		r.Problem = storable(r.Problem, longestProblem)
		rows[i] = r
	}
	return tx.CreateInBatches(rows, 500).Error
}

// keyText is the text of an API key, which somebody may send in a path by mistake.
var keyText = regexp.MustCompile(`tk_[a-z]+_[A-Za-z0-9]{8,}`)

// storable is text that the database takes, of at most so many characters, without keys.
func storable(text string, longest int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	text = keyText.ReplaceAllString(text, "tk_…")
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest-1]) + "…"
}

// Ending is how a request ended.
type Ending string

const (
	EndingSucceeded Ending = "succeeded"
	EndingRefused   Ending = "refused" // by a fault of the client
	EndingFailed    Ending = "failed"  // by a fault of the server
)

// Filter narrows the list of requests. "" leaves a part open.
type Filter struct {
	KeyID  string
	Ending Ending
}

// List returns a page of the account's requests, the newest first.
func List(tx *store.Tx, filter Filter, page store.Page) (requests []Request, next string, err error) {
	query := tx.Model(&Request{})
	if filter.KeyID != "" {
		query = query.Where("key_id = ?", filter.KeyID)
	}
	switch filter.Ending {
	case EndingSucceeded:
		query = query.Where("status < 400")
	case EndingRefused:
		query = query.Where("status >= 400 AND status < 500")
	case EndingFailed:
		query = query.Where("status >= 500")
	}
	return store.List[Request](query, page)
}

// Forget deletes what is older by real time than it is kept, and what is too much of an account, some at
// a time. It tells whether there may be more.
func Forget(tx *gorm.DB, now time.Time) (more bool, err error) {
	const atOnce = 1000
	var gone int64
	err = tx.Raw("SELECT forget_requests(?, ?, ?)", now.Add(-keptFor), mostKept, atOnce).Scan(&gone).Error
	return gone == atOnce, err
}
