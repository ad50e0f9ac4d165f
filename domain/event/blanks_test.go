package event_test

import (
	"fmt"
	"io"
	"strings"
	"testing/iotest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/event"
)

// blanks is a reader of so many of them, which calls a function at its end.
func blanks(n int64, end func()) io.Reader {
	return io.MultiReader(io.LimitReader(endless{}, n), atEnd(end))
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = " \t\r\n"[k%4]
	}
	return len(p), nil
}

type atEnd func()

func (f atEnd) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

var _ = Describe("Blanks between the tokens of a request", func() {
	It("take no memory, and do not count, however many they are", func() {
		const many, bound = 40 << 20, 4 << 20 // bytes
		before, most := held(), int64(0)
		measure := func() { most = max(most, held()) }
		received, err := event.Receive(io.MultiReader(
			blanks(many, measure), strings.NewReader(`{"other":`), blanks(many, measure), strings.NewReader(`[1,`), blanks(many, measure),
			strings.NewReader(`2], "events":[`), blanks(many, measure), strings.NewReader(call("one")+`,`), blanks(many, measure),
			strings.NewReader(call("two")), blanks(many, measure), strings.NewReader(`]}`), blanks(many, measure),
		), temporary)
		Expect(err).NotTo(HaveOccurred())
		defer received.Close()
		Expect(event.Spooled(received)).To(BeFalse())
		Expect(most - before).To(BeNumerically("<", bound))
	})

	It("change nothing of the events, wherever they are and however the body arrives", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			many := rapid.SampledFrom([]string{"", " ", "\r\n\t", strings.Repeat(" ", 5000)})
			var text, spread strings.Builder
			for _, token := range []string{
				"{", `"other"`, ":", "[", "1", ",", "true", ",", "null", "]", ",", `"events"`, ":", "[", "{", `"idempotency_key"`, ":", `"a , : b"`, ",",
				`"event_name"`, ":", `"  x  "`, ",", `"properties"`, ":", "{", `" n "`, ":", "12.50", ",", `"s"`, ":", `" \" , "`, "}", "}", ",", "{", "}", "]", "}",
			} {
				text.WriteString(token)
				spread.WriteString(token + many.Draw(rt, "blanks after "+token))
			}
			plain, err := event.Decode(strings.NewReader(text.String()))
			if err != nil {
				rt.Fatal(err)
			}
			for name, body := range map[string]io.Reader{
				"at once": strings.NewReader(spread.String()), "by bytes": iotest.OneByteReader(strings.NewReader(spread.String())), "by halves": iotest.HalfReader(strings.NewReader(spread.String())),
			} {
				events, err := event.Decode(body)
				if err != nil || fmt.Sprint(events) != fmt.Sprint(plain) {
					rt.Fatalf("%s: %v, %v", name, events, err)
				}
			}
		})
	})

	It("part numbers and words, and leave errors at the byte where they are", func() {
		long := strings.Repeat(" ", 10_000)
		for body, at := range map[string]int{`{"other": [1` + long + `2]}`: 10_012, `{"other": tr` + long + `ue}`: 12, `{"events": [` + long + `,]}`: 10_012} {
			_, err := event.Receive(strings.NewReader(body), temporary)
			Expect(err).To(MatchError(fmt.Sprintf("body: cannot be read as JSON in UTF-8: see byte %d", at)))
		}
	})
})
