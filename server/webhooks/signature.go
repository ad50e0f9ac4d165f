package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Headers of a delivery (semantics 13.3).
const (
	timestampHeader = "X-Orb-Timestamp"
	signatureHeader = "X-Orb-Signature"
)

// timestampFormat is that of the timestamp: in UTC and without a zone, since one of the
// official clients refuses a zone.
const timestampFormat = "2006-01-02T15:04:05.999999999"

// Signature returns the signature of a body and its timestamp. It covers both, so neither can
// be changed, and an old message cannot be sent again as a new one.
func Signature(secret, timestamp, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v1:" + timestamp + ":" + body))
	return "v1=" + hex.EncodeToString(mac.Sum(nil))
}

func formatTimestamp(at time.Time) string { return at.UTC().Format(timestampFormat) }
