package event

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"

	"tollkeeper/store/tempfile"
)

// spoolIndex tells where in a spool the events of each key lie. Keys are put on piles by
// their hash, so equal ones come onto one pile, and a pile is small enough to be held
// in memory. The piles share a file, in blocks.
type spoolIndex struct {
	file  *tempfile.File
	end   int64
	seed  maphash.Seed
	piles [256]bucket
}

// bucket is blocks on disk and one that is being filled.
type bucket struct {
	blocks []block
	open   []byte
}

type block struct{ at, size int64 }

// blockSize is about what a block takes, in bytes.
const blockSize = 4 << 10

// spoolEntry is where an event of that key begins.
type spoolEntry struct {
	key string
	at  int64
}

func newSpoolIndex(use *tempfile.Use) (*spoolIndex, error) {
	file, err := use.File()
	if err != nil {
		return nil, err
	}
	return &spoolIndex{file: file, seed: maphash.MakeSeed()}, nil
}

// add notes where an event begins, unless its key cannot be used.
func (p *spoolIndex) add(key string, at int64) error {
	if key == "" {
		return nil
	}
	pile := &p.piles[maphash.String(p.seed, key)%uint64(len(p.piles))]
	pile.open = binary.AppendUvarint(pile.open, uint64(at))
	pile.open = appendText(pile.open, key)
	if len(pile.open) < blockSize {
		return nil
	}
	if _, err := p.file.Write(pile.open); err != nil {
		return fmt.Errorf("spool events: %w", err)
	}
	size := int64(len(pile.open))
	pile.blocks = append(pile.blocks, block{p.end, size})
	p.end += size
	pile.open = pile.open[:0]
	return nil
}

// bucket lists the places of one pile, in the order in which they were added.
func (p *spoolIndex) bucket(i int) iter.Seq2[spoolEntry, error] {
	return func(yield func(spoolEntry, error) bool) {
		pile := &p.piles[i]
		var text []byte
		for _, b := range pile.blocks {
			text = slices.Grow(text[:0], int(b.size))[:b.size]
			if _, err := p.file.ReadAt(text, b.at); err != nil {
				yield(spoolEntry{}, fmt.Errorf("read spooled events: %w", err))
				return
			}
			if !eachEntry(text, yield) {
				return
			}
		}
		eachEntry(pile.open, yield)
	}
}

func eachEntry(text []byte, yield func(spoolEntry, error) bool) bool {
	r := recordReader{text: text}
	for len(r.text) > 0 {
		if !yield(spoolEntry{at: int64(r.number()), key: string(r.bytes())}, nil) {
			return false
		}
	}
	return true
}
