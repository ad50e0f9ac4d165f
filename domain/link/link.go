// Package link makes and reads the addresses of pages for customers, which are open to who has
// them.
//
// The token of an invoice is derived, not stored: the account, the invoice, perhaps an end, and a
// code of 160 bits over these by HMAC-SHA-256 with the secret of the account. So every answer of
// the API can show the same address, invoices that were issued earlier have one too, and issuing
// writes nothing more. A stored random token would show no less to who reads the database, which
// has the invoice itself. Who reads only answers and logs cannot derive the token of another
// invoice. What a token opens counts how often its links were withdrawn, and the code is over that number too:
// so the tokens of before end, and another one takes their place. Tokens of portal sessions are random, and stored by their hash: see package portal.
package link

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tollkeeper/store"
)

// Kind is what a token opens.
type Kind string

// The kinds.
const (
	Invoice Kind = "invoice" // the page of an invoice with its documents
	Portal  Kind = "portal"  // the portal of a customer
)

// Token is what an address names. Its zero end is the one that the subject has by itself.
type Token struct {
	AccountID string
	ID        string // of the invoice or the customer
	Ends      time.Time
}

// Subject is what a token opens.
type Subject struct {
	ID        string // of the invoice or the customer
	Withdrawn int    // how often its links were withdrawn
}

// Keys signs the tokens of an account.
type Keys struct {
	accountID string
	secret    []byte
	origin    string
}

// Of reads the secret of the transaction's account.
func Of(tx *store.Tx) (Keys, error) {
	k := Keys{accountID: tx.AccountID, origin: tx.Origin}
	err := tx.Conn().QueryRowContext(tx.Context(), "SELECT secret FROM link_secrets WHERE account_id = $1", tx.AccountID).Scan(&k.secret)
	if err != nil {
		return k, fmt.Errorf("read the secret of links: %w", err)
	}
	return k, nil
}

// InvoicePage returns the address of an invoice's page. Without an end, the link ends when the
// invoice's links do.
func (k Keys) InvoicePage(invoice Subject, ends time.Time) string {
	return k.origin + "/i/" + k.sign(Invoice, Token{AccountID: k.accountID, ID: invoice.ID, Ends: ends}, invoice.Withdrawn)
}

// PortalPage returns the permanent address of a customer's portal.
func (k Keys) PortalPage(customer Subject) string {
	return k.origin + "/portal/" + k.sign(Portal, Token{AccountID: k.accountID, ID: customer.ID}, customer.Withdrawn)
}

const (
	idLength   = 20 // of the random part of an id
	codeLength = 20 // bytes
)

// prefixes begin the ids of what tokens open.
var prefixes = map[Kind]string{Invoice: "inv_", Portal: "cus_"}

// marks begin tokens.
var marks = map[Kind]string{Invoice: "i_", Portal: "p_"}

const accountPrefix = "acct_"

// sign writes a token of a subject whose links were withdrawn so often. The number is not in the token. Where it is 0, the code
// is as it was before links could be withdrawn.
func (k Keys) sign(kind Kind, t Token, withdrawn int) string {
	text := marks[kind] + strings.TrimPrefix(t.AccountID, accountPrefix) + strings.TrimPrefix(t.ID, prefixes[kind])
	ends := ""
	if !t.Ends.IsZero() {
		ends = "." + strconv.FormatInt(t.Ends.Unix(), 36)
	}
	signed := text + ends
	if withdrawn > 0 {
		signed += " " + strconv.Itoa(withdrawn)
	}
	return text + k.code(kind, signed) + ends
}

func (k Keys) code(kind Kind, text string) string {
	mac := hmac.New(sha256.New, k.secret)
	_, _ = mac.Write([]byte(string(kind) + " " + text)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:codeLength])
}

var encodedCode = base64.RawURLEncoding.EncodedLen(codeLength)

// Parse reads what a token names, without knowing whether it is genuine: see [Keys.Signed].
func Parse(kind Kind, token string) (t Token, ok bool) {
	text, ends, ended := strings.Cut(token, ".")
	text, marked := strings.CutPrefix(text, marks[kind])
	if !marked || len(text) != 2*idLength+encodedCode {
		return Token{}, false
	}
	for _, c := range []byte(text[:2*idLength]) {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return Token{}, false
		}
	}
	t.AccountID, t.ID = accountPrefix+text[:idLength], prefixes[kind]+text[idLength:2*idLength]
	if ended {
		seconds, err := strconv.ParseInt(ends, 36, 64)
		if err != nil || seconds <= 0 {
			return Token{}, false
		}
		t.Ends = time.Unix(seconds, 0).UTC()
	}
	return t, true
}

// Signed reports whether the account of the keys made a token, and its subject's links were withdrawn as often then as now.
func (k Keys) Signed(kind Kind, token string, withdrawn int) bool {
	t, ok := Parse(kind, token)
	return ok && t.AccountID == k.accountID && hmac.Equal([]byte(k.sign(kind, t, withdrawn)), []byte(token))
}
