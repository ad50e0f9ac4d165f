package server

import (
	"crypto/sha256"
	"net/netip"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"tollkeeper/domain/account"
	"tollkeeper/server/contract"
)

// Bounds of the memory for limits. What was not used for the longest time is forgotten, which
// gives a key or an address its burst again.
const (
	mostLimitedKeys      = 20_000
	mostLimitedAddresses = 20_000
	mostGoodKeys         = 50_000
)

// strangersPerSecond is how many requests without a good key an address may send; see
// Config.StrangersPerSecond.
const strangersPerSecond = 50

// burst is how many seconds' worth of requests may come at once after a pause.
const (
	keyBurst      = 1
	strangerBurst = 4
)

// rateLimits bounds how often clients ask. Each server counts by itself and in real time
// (semantics 14.5).
type rateLimits struct {
	keys      *lru.Cache[limitedKey, *rate.Limiter]
	strangers *lru.Cache[netip.Prefix, *rate.Limiter]
	visitors  *lru.Cache[netip.Prefix, *rate.Limiter] // of pages for customers
	good      *lru.Cache[[sha256.Size]byte, struct{}] // keys that worked: strangers at the same address do not hold them up
	attempts  rate.Limit                              // of strangers at an address
}

// limitedKey is a key in one of its two uses, which are counted apart.
type limitedKey struct {
	id     string
	ingest bool
}

func newRateLimits(perAddress int) *rateLimits {
	limits := &rateLimits{attempts: rate.Limit(perAddress)}
	if perAddress < 0 {
		limits.attempts = rate.Inf
	}
	limits.keys, _ = lru.New[limitedKey, *rate.Limiter](mostLimitedKeys) // fails only for a size below 1
	limits.strangers, _ = lru.New[netip.Prefix, *rate.Limiter](mostLimitedAddresses)
	limits.good, _ = lru.New[[sha256.Size]byte, struct{}](mostGoodKeys)
	limits.visitors, _ = lru.New[netip.Prefix, *rate.Limiter](mostLimitedAddresses)
	return limits
}

// allow counts a request with a good key, and refuses it where the key has sent more than its
// account lets it.
func (l *rateLimits) allow(in account.Login, ingest bool, now time.Time) error {
	perSecond := in.Account.RequestsPerSecond
	if ingest {
		perSecond = in.Account.IngestRequestsPerSecond
	}
	if perSecond == nil {
		return nil
	}
	limiter := limiterOf(l.keys, limitedKey{in.Key.ID, ingest}, rate.Limit(*perSecond), keyBurst**perSecond)
	if limiter.Limit() != rate.Limit(*perSecond) { // the setting has changed
		limiter.SetLimitAt(now, rate.Limit(*perSecond))
		limiter.SetBurstAt(now, keyBurst**perSecond)
	}
	reserved := limiter.ReserveN(now, 1)
	if wait := reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
		return contract.TooOften{Wait: wait}
	}
	return nil
}

// admit refuses to look up a key for an address that has sent too many requests without a good
// one. A key that worked before is looked up whatever its neighbors do.
func (l *rateLimits) admit(address, key string, now time.Time) error {
	if l.attempts == rate.Inf {
		return nil
	}
	if _, ok := l.good.Get(sha256.Sum256([]byte(key))); ok {
		return nil
	}
	// The attempt is counted when it has failed.
	if missing := 1 - l.strangersAt(address).TokensAt(now); missing > 0 {
		return contract.TooOften{Wait: time.Duration(missing / float64(l.attempts) * float64(time.Second))}
	}
	return nil
}

// visit counts a request for a page for customers, which needs no key. An address may send as many
// as without a good key.
func (l *rateLimits) visit(address string, now time.Time) error {
	if l.attempts == rate.Inf {
		return nil
	}
	reserved := limiterOf(l.visitors, network(address), l.attempts, strangerBurst*int(l.attempts)).ReserveN(now, 1)
	if wait := reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
		return contract.TooOften{Wait: wait}
	}
	return nil
}

// worked notes that a key is good.
func (l *rateLimits) worked(key string) { l.good.Add(sha256.Sum256([]byte(key)), struct{}{}) }

// failed counts a request without a good key.
func (l *rateLimits) failed(address, key string, now time.Time) {
	l.good.Remove(sha256.Sum256([]byte(key))) // it may have been revoked
	if l.attempts != rate.Inf {
		l.strangersAt(address).AllowN(now, 1)
	}
}

func (l *rateLimits) strangersAt(address string) *rate.Limiter {
	return limiterOf(l.strangers, network(address), l.attempts, strangerBurst*int(l.attempts))
}

// network is what counts as one address: of version 6, all that a household or a machine is given.
func network(address string) netip.Prefix {
	at, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{} // all that have none share one limit
	}
	at = at.Unmap().WithZone("")
	bits := at.BitLen()
	if at.Is6() {
		bits = 64
	}
	prefix, _ := at.Prefix(bits) // has as many bits
	return prefix
}

// limiterOf returns the limiter of something, a new one that is full where there is none.
func limiterOf[K comparable](all *lru.Cache[K, *rate.Limiter], of K, limit rate.Limit, burst int) *rate.Limiter {
	if known, ok := all.Get(of); ok {
		return known
	}
	made := rate.NewLimiter(limit, burst)
	if known, had, _ := all.PeekOrAdd(of, made); had { // another request was first
		return known
	}
	return made
}
