package event_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing/iotest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/event"
	"tollkeeper/store/tempfile"
)

var _ = Describe("A request of many events without room for temporary files", func() {
	plain := func(i int) string { return call(fmt.Sprintf("e%06d", i)) }

	// refused is why a place does not take 60,000 events. Nothing of them is left there.
	refused := func(place *tempfile.Place) tempfile.Reason {
		GinkgoHelper()
		before := place.Used()
		_, err := event.Receive(body(60_000, plain), place)
		var why *tempfile.Refusal
		Expect(errors.As(err, &why)).To(BeTrue(), "%v", err)
		Expect(place.Used()).To(Equal(before))
		return why.Reason
	}
	dir := func() string { return GinkgoT().TempDir() }

	It("is refused where the place is smaller than the request, and while others fill it", func() {
		Expect(refused(tempfile.New(dir(), 1<<20))).To(Equal(tempfile.TooLarge))

		place := tempfile.New(dir(), 64<<20)
		others := place.Use()
		file, err := others.File()
		Expect(err).NotTo(HaveOccurred())
		_, err = file.Write(make([]byte, 63<<20))
		Expect(err).NotTo(HaveOccurred())
		Expect(refused(place)).To(Equal(tempfile.Full))
		few, err := event.Receive(body(10_000, plain), place)
		Expect(err).NotTo(HaveOccurred())
		few.Close()

		others.Close()
		many, err := event.Receive(body(60_000, plain), place)
		Expect(err).NotTo(HaveOccurred())
		Expect(place.Used()).To(BeNumerically(">", 1<<20))
		many.Close()
		Expect(place.Used()).To(BeZero())
	})

	It("gives back what it took where its reader fails or panics in the middle", func() {
		place := tempfile.New(dir(), 64<<20)
		broken := errors.New("the client is gone")
		for _, end := range []func(){func() {}, func() { panic(broken) }} {
			most := int64(0)
			half := body(30_000, plain)
			half.every, half.call = 1<<20, func() { most = max(most, place.Used()) }
			ends := iotest.ErrReader(broken)
			func() {
				defer func() { _ = recover() }()
				_, err := event.Receive(io.MultiReader(io.LimitReader(half, 3<<20), atEnd(end), ends), place)
				Expect(err).To(MatchError(broken))
			}()
			Expect(most).To(BeNumerically(">", 0))
			Expect(place.Used()).To(BeZero())
		}
	})

	It("is refused where the place cannot be written", func() {
		gone := filepath.Join(dir(), "gone")
		Expect(os.Mkdir(gone, 0o700)).To(Succeed())
		place := tempfile.New(gone, 0)
		Expect(os.Remove(gone)).To(Succeed())
		Expect(refused(place)).To(Equal(tempfile.Unusable))
	})
})
