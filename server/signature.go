package server

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

// signatureTime is how the timestamp is written: UTC, and no zone, which one of the
// official clients refuses.
const signatureTime = "2006-01-02T15:04:05.999999999"

// signature is that of a body sent at an instant: over both, so that neither can be
// changed and an old one not sent again.
func signature(secret, timestamp, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v1:" + timestamp + ":" + body))
	return "v1=" + hex.EncodeToString(mac.Sum(nil))
}

func timestampToWire(at time.Time) string { return at.UTC().Format(signatureTime) }
