package event

import (
	"crypto/sha256"
	"fmt"

	"github.com/bits-and-blooms/bloom/v3"
)

// keyFilter tells of a key that a closed part certainly does not hold it, or that it may: of
// those that it does not hold it is wrong about one in two thousand.
type keyFilter struct {
	part int32
	seal string
	bits *bloom.BloomFilter
}

// The shape of a filter. Those that are stored have it too, so it cannot change.
const (
	bitsPerKey  = 16
	bitsOfOne   = 11 // that a key sets
	digestBytes = 8
)

// digest returns the digest of a key for filters. The database function digest_keys makes the same
// digests of stored keys.
func digest(account, key string) []byte {
	sum := sha256.Sum256([]byte(account + " " + key))
	return sum[:digestBytes]
}

// filterSize returns the size of a filter of so many keys, in bytes.
func filterSize(keys int64) int64 { return keys * bitsPerKey / 8 }

func newKeyFilter(p closedPart, keys int64) keyFilter {
	return keyFilter{p.part, p.seal, bloom.New(uint(max(keys, 1))*bitsPerKey, bitsOfOne)}
}

func readKeyFilter(p closedPart, stored []byte) (keyFilter, error) {
	bits := new(bloom.BloomFilter)
	if err := bits.UnmarshalBinary(stored); err != nil {
		return keyFilter{}, fmt.Errorf("read a filter of keys: %w", err)
	}
	if bits.K() != bitsOfOne || bits.Cap() != bits.BitSet().Len() {
		return keyFilter{}, fmt.Errorf("the filter of the keys in part %d has another shape", p.part)
	}
	return keyFilter{p.part, p.seal, bits}, nil
}

// size is what it takes in memory, in bytes.
func (f keyFilter) size() int64 { return int64(f.bits.Cap() / 8) }

// keyFilters are those of the closed parts from the first on, without a hole.
type keyFilters []keyFilter

// doubts are what filters leave to be looked up of some keys.
type doubts struct {
	seal  string // of the last part with a filter; "" without filters
	parts []int32
	keys  []string // each may be in the part of the same place
}

func (all keyFilters) doubts(account string, keys []string) doubts {
	left := doubts{parts: []int32{}, keys: []string{}}
	if len(all) == 0 {
		return left
	}
	left.seal = all[len(all)-1].seal
	for _, key := range keys {
		places := bloom.Locations(digest(account, key), bitsOfOne)
		for _, f := range all {
			if f.bits.TestLocations(places) {
				left.parts = append(left.parts, f.part)
				left.keys = append(left.keys, key)
			}
		}
	}
	return left
}

func (all keyFilters) size() (bytes int64) {
	for _, f := range all {
		bytes += f.size()
	}
	return bytes
}
