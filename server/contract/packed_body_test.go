package contract_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/labstack/echo/v4"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/contract"
)

// wire is what a client sends, a piece at a time.
type wire struct {
	*bytes.Reader
	before func()
}

func (w wire) Read(b []byte) (int, error) {
	w.before()
	return w.Reader.Read(b[:min(len(b), 512)])
}

var _ = Describe("A packed body", func() {
	const mebibyte = 1 << 20
	var taken, held int
	var refused error
	turn := func() (func(), error) {
		if refused != nil {
			return nil, refused
		}
		taken, held = taken+1, held+1
		return func() { held-- }, nil
	}
	// packed is the body of a request that unpacks to so many blanks.
	packed := func(bytesOfIt int, before func()) io.ReadCloser {
		GinkgoHelper()
		var b bytes.Buffer
		zip := gzip.NewWriter(&b)
		_, _ = zip.Write(bytes.Repeat([]byte(" "), bytesOfIt))
		Expect(zip.Close()).To(Succeed())
		request := httptest.NewRequest(http.MethodPost, "/v1/ingest", wire{bytes.NewReader(b.Bytes()), before})
		request.Header.Set("Content-Encoding", "gzip")
		c := echo.New().NewContext(request, httptest.NewRecorder())
		Expect(contract.LimitBody(c, 0, turn)).To(Succeed())
		return c.Request().Body
	}
	BeforeEach(func() { taken, held, refused = 0, 0, nil })

	It("takes a turn for each mebibyte but the first, one after the other, and holds none while it waits for the client", func() {
		body := packed(9*mebibyte, func() { Expect(held).To(BeZero()) })
		b := make([]byte, 4096)
		for read := 0; read < 9*mebibyte; {
			n, err := body.Read(b)
			Expect(held).To(BeNumerically("<=", 1))
			if read += n; err != nil {
				Expect(err).To(MatchError(io.EOF))
				Expect(read).To(Equal(9 * mebibyte))
			}
		}
		_, err := body.Read(b)
		Expect(err).To(MatchError(io.EOF))
		Expect(taken).To(BeNumerically(">=", 8))
		Expect(held).To(BeZero())
	})

	It("takes none where it is small", func() {
		text, err := io.ReadAll(packed(mebibyte-1, func() {}))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(HaveLen(mebibyte - 1))
		Expect(taken).To(BeZero())
	})

	It("gives its turn up where the rest is not read", func() {
		body := packed(9*mebibyte, func() {})
		_, err := io.CopyN(io.Discard, body, 2*mebibyte)
		Expect(err).NotTo(HaveOccurred())
		Expect(body.Close()).To(Succeed())
		Expect(held).To(BeZero())
	})

	It("fails as the turn does, so that it is sent again", func() {
		refused = contract.ErrOverloaded
		_, err := io.ReadAll(packed(9*mebibyte, func() {}))
		Expect(errors.Is(err, contract.ErrOverloaded)).To(BeTrue())
		Expect(contract.OutageOf(err)).To(Equal(contract.Busy))
	})
})
