package importevents_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"pgregory.net/rapid"

	"tollkeeper/domain/event"
	"tollkeeper/server/cmd/tollkeeper/importevents"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// rows are a file in CSV with a wrong row now and then, and how many of them are wrong.
func rows(n, wrongEvery int) (lines []string, wrong int) {
	lines = []string{header + ",note"}
	for i := range n {
		line := fmt.Sprintf("k%03d,call,2025-05-10T12:00:00Z,acme,", i)
		switch {
		case i%wrongEvery == 1:
			line = fmt.Sprintf("k%03d,,2025-05-10T12:00:00Z,acme,", i)
			wrong++
		case i%5 == 0:
			line += "\"two\nlines\""
		}
		lines = append(lines, line)
	}
	return lines, wrong
}

var _ = Describe("A feed that does not come to its end", func() {
	var d fixture
	BeforeEach(func() { d = newFixture() })

	It("goes on from its journal and ends as if it had never stopped, wherever that was", func() {
		number := 0
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			number++
			d.ctx = newFixture().ctx
			const events = 40
			lines, wrong := rows(events, rapid.IntRange(2, 9).Draw(t, "wrong every"))
			path := d.file(fmt.Sprintf("usage%d.csv", number), lines...)
			for runs := 0; ; runs++ {
				f := d.feed(path).InParts(rapid.IntRange(4, 20).Draw(t, "part"))
				stopAfter, how := rapid.IntRange(1, 4).Draw(t, "stop after"), rapid.SampledFrom([]string{"signal", "outage", "answer lost", "kill", "none"}).Draw(t, "how")
				if runs == 3 {
					how = "none"
				}
				ctx, stop := context.WithCancel(d.ctx)
				record, parts := f.Record, 0
				var before []byte // the journal at the kill
				f.Record = func(ctx context.Context, sent []event.Event) (event.Outcome, error) {
					parts++
					if how == "outage" && parts == stopAfter {
						return event.Outcome{}, errors.New("outage")
					}
					outcome, err := record(ctx, sent)
					switch {
					case parts != stopAfter:
					case how == "signal":
						stop()
					case how == "answer lost":
						return event.Outcome{}, errors.New("lost")
					case how == "kill":
						before, _ = os.ReadFile(path + ".progress")
					}
					return outcome, err
				}
				did, err := f.Run(ctx)
				stop()
				if how == "kill" && before != nil { // what the run did after it is as if it never came to disk
					if err := os.WriteFile(path+".progress", before, 0o600); err != nil {
						t.Fatal(err)
					}
					continue
				}
				if err != nil {
					continue
				}
				if did.Events() != events || did.Rejected != wrong {
					t.Fatalf("%+v", did)
				}
				break
			}
			if got := d.events(); len(got) != events-wrong {
				t.Fatalf("%d events are stored", len(got))
			}
			rejects := read(path + ".rejects")
			if len(rejects) != wrong+1 || rejects[0] != header+",note,rejected_because" {
				t.Fatalf("%s", strings.Join(rejects, "\n"))
			}
			if _, err := os.Stat(path + ".progress"); !os.IsNotExist(err) {
				t.Fatal("the journal is left")
			}
		})
	})

	It("says that it was interrupted, and tells what was done", func() {
		lines, _ := rows(50, 100)
		path := d.file("usage.csv", lines...)
		ctx, stop := context.WithCancel(d.ctx)
		f := d.feed(path).InParts(10)
		f.Report = func(at importevents.Progress) {
			if at.Events() >= 20 {
				stop()
			}
		}
		did, err := f.Run(ctx)
		Expect(err).To(MatchError(importevents.ErrInterrupted))
		Expect(did.Events()).To(Equal(20))
		Expect(d.events()).To(HaveLen(19))

		did, err = d.feed(path).Run(d.ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(did).To(Equal(importevents.Progress{Read: did.Size, Size: did.Size, Stored: 49, Rejected: 1}))
	})

	DescribeTable("is not continued with",
		func(change func(f *importevents.Feed), words string) {
			lines, _ := rows(50, 100)
			f := d.feed(d.file("usage.csv", lines...)).InParts(10)
			ctx, stop := context.WithCancel(d.ctx)
			f.Report = func(importevents.Progress) { stop() }
			_, err := f.Run(ctx)
			Expect(err).To(MatchError(importevents.ErrInterrupted))
			change(&f)
			_, err = f.Run(d.ctx)
			Expect(err).To(MatchError(ContainSubstring(words)))
			Expect(len(d.events())).To(BeNumerically("<=", 10))
		},
		Entry("another file", func(f *importevents.Feed) {
			Expect(os.WriteFile(f.Path, []byte(header+"\nk,call,2025-05-10T12:00:00Z,acme\n"), 0o600)).To(Succeed())
		}, "is of another file"),
		Entry("another owner", func(f *importevents.Feed) { f.For = "acct_other" }, "is of an import for"),
	)
})
