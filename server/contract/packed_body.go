package contract

import (
	"compress/gzip"
	"errors"
	"io"

	"tollkeeper/store/fault"
)

// A packed body may unpack to freelyUnpacked bytes whatever it holds, and beyond that to
// mostUnpacked bytes for each packed byte. Events pack to between a tenth and a hundredth of
// their size. Zeros pack to a thousandth: 10 MB of them would be 10 GB of work.
const (
	freelyUnpacked = LargestBody
	mostUnpacked   = 200
)

var errUnpacked = fault.Bad("body", "must not unpack to more than %d times its packed size", mostUnpacked)

// gzipBody decompresses a body, from the first read on.
type gzipBody struct {
	packed   io.ReadCloser
	zip      *gzip.Reader
	limited  bool  // in bytes, so not by the packed size
	read     int64 // packed bytes
	unpacked int64
	turn     turns
}

func (g *gzipBody) Read(b []byte) (n int, err error) {
	if err := g.turn.next(g.unpacked); err != nil {
		return 0, err
	}
	if n, err = g.unpack(b); err != nil {
		g.turn.end()
	}
	return n, err
}

func (g *gzipBody) unpack(b []byte) (int, error) {
	if g.zip == nil {
		zip, err := gzip.NewReader(packedReader{g})
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, gzip.ErrHeader
		}
		if err != nil {
			return 0, err
		}
		g.zip = zip
	}
	n, err := g.zip.Read(b)
	if g.unpacked += int64(n); !g.limited && g.unpacked > freelyUnpacked && g.unpacked > mostUnpacked*g.read {
		return 0, errUnpacked
	}
	return n, err
}

// packedReader counts what is read of a packed body, and holds no turn while it waits for the client.
type packedReader struct{ body *gzipBody }

func (r packedReader) Read(b []byte) (int, error) {
	r.body.turn.end()
	n, err := r.body.packed.Read(b)
	r.body.read += int64(n)
	return n, err
}

func (g *gzipBody) Close() error {
	g.turn.end()
	return g.packed.Close()
}

// turnBytes is how much a body unpacks in one turn. Unpacking and reading it takes a few milliseconds.
const turnBytes = 1 << 20

// turns are those of a packed body beyond its first turnBytes: few packed bytes are much work.
type turns struct {
	take Turn
	free func() // nil: it has none
	from int64  // where in the body the turn began
}

// next is called before more is unpacked. It waits for a turn, once the last one is used up.
func (t *turns) next(unpacked int64) (err error) {
	if t.free != nil && unpacked-t.from >= turnBytes {
		t.end()
	}
	if t.free != nil || unpacked < turnBytes {
		return nil
	}
	if t.free, err = t.take(); err != nil {
		return noTurn{err}
	}
	t.from = unpacked
	return nil
}

func (t *turns) end() {
	if t.free != nil {
		t.free()
		t.free = nil
	}
}

// noTurn is the error of a body that got no turn: the server is busy, or the request has ended.
type noTurn struct{ error }

func (n noTurn) Unwrap() error { return n.error }
