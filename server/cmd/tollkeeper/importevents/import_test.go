package importevents_test

import (
	"fmt"
	"io"
	"os"
	"strings"

	"tollkeeper/server/cmd/tollkeeper/importevents"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const header = "idempotency_key,event_name,timestamp,external_customer_id"

var _ = Describe("A file of events", func() {
	var d fixture
	BeforeEach(func() { d = newFixture() })

	It("is taken in CSV, each value as what it reads as", func() {
		path := d.file("usage.csv",
			header+",n,text,flag,note",
			"k1,call,2025-05-10T12:00:00Z,acme,1.50,hello,true,",
			`k2,call,2025-05-10T12:00:00Z,acme,1e-3,"a, ""b""`, `c",false,007`,
			"",
			"k3,call,2025-05-10T12:00:00Z,acme,, 1,TRUE,é")
		stored, known, rejected := d.run(d.feed(path))
		Expect([]int{stored, known, rejected}).To(Equal([]int{3, 0, 0}))
		Expect(d.events()).To(Equal([]string{
			`k1 e:acme {"n": 1.50, "flag": true, "text": "hello"}`,
			`k2 e:acme {"n": 0.001, "flag": false, "note": "007", "text": "a, \"b\"\nc"}`,
			`k3 e:acme {"flag": "TRUE", "note": "é", "text": " 1"}`,
		}))
		Expect(path + ".rejects").NotTo(BeAnExistingFile())
	})

	It("is taken in CSV with a byte order mark, ends of lines of two characters and columns that are text", func() {
		path := d.file("usage.csv", "\uFEFF"+`"idempotency_key",event_name,timestamp,external_customer_id,phone`+"\r",
			"k1,call,2025-05-10T12:00:00Z,acme,5551234\r", "k2,call,2025-05-10T12:00:00Z,acme,true\r")
		f := d.feed(path)
		f.Text = []string{"phone"}
		d.run(f)
		Expect(d.events()).To(Equal([]string{`k1 e:acme {"phone": "5551234"}`, `k2 e:acme {"phone": "true"}`}))
	})

	It("is taken with an object on each line", func() {
		path := d.file("usage.ndjson",
			`{"idempotency_key": "k1", "event_name": "call", "timestamp": "2025-05-10T12:00:00Z", "external_customer_id": "acme", "properties": {"n": 1.10}}`,
			"", "  ",
			`{"idempotency_key":"k2","event_name":"call","timestamp":"2025-05-10T12:00:00Z","external_customer_id":"acme"}`)
		stored, known, rejected := d.run(d.feed(path))
		Expect([]int{stored, known, rejected}).To(Equal([]int{2, 0, 0}))
		Expect(d.events()).To(Equal([]string{`k1 e:acme {"n": 1.10}`, `k2 e:acme {}`}))
	})

	It("is taken with an object on each line behind a byte order mark, and with ends of lines of two characters", func() {
		const rest = `"event_name":"call","timestamp":"2025-05-10T12:00:00Z","external_customer_id":"acme"}`
		stored, known, rejected := d.run(d.feed(d.file("usage.ndjson", "\uFEFF"+`{"idempotency_key":"k1",`+rest+"\r", `{"idempotency_key":"k2",`+rest+"\r")))
		Expect([]int{stored, known, rejected}).To(Equal([]int{2, 0, 0}))
	})

	It("is taken from CSV in UTF-8 only, for letters of two keys would become the same one", func() {
		path := d.file("usage.csv", header+",note",
			"caf\xe9,call,2025-05-10T12:00:00Z,acme,", "caf\xe8,call,2025-05-10T12:00:00Z,acme,", "café,call,2025-05-10T12:00:00Z,acme,", "k,call,2025-05-10T12:00:00Z,acme,d\xe9j\xe0")
		stored, known, rejected := d.run(d.feed(path))
		Expect([]int{stored, known, rejected}).To(Equal([]int{1, 0, 3}))
		Expect(read(path + ".rejects")[1]).To(Equal("caf\xe9,call,2025-05-10T12:00:00Z,acme,,row: must be text in UTF-8"))
	})

	It("counts an event once, whether its key stands twice in the file or the file is fed twice", func() {
		path := d.file("usage.csv", header+",n",
			"k1,call,2025-05-10T12:00:00Z,acme,1", "k1,call,2025-05-10T12:00:00Z,acme,2", "k2,call,2025-05-10T12:00:00Z,acme,3", "k1,call,2025-05-10T12:00:00Z,acme,1")
		stored, known, rejected := d.run(d.feed(path))
		Expect([]int{stored, known, rejected}).To(Equal([]int{2, 2, 0}))
		stored, known, _ = d.run(d.feed(path))
		Expect([]int{stored, known}).To(Equal([]int{0, 4}))
		Expect(d.events()).To(Equal([]string{`k1 e:acme {"n": 1}`, `k2 e:acme {"n": 3}`}))
	})

	It("leaves out of CSV what cannot be stored, with the reason, to be corrected and fed in turn", func() {
		path := d.file("usage.csv", header+",n",
			"k1,call,2025-05-10T12:00:00Z,acme,1",
			"k2,,2020-01-01T00:00:00Z,acme,1",
			"k3,call,2025-05-10T12:00:00Z,acme",
			`k4,ca"ll,2025-05-10T12:00:00Z,acme,1`,
			",call,2025-05-10T12:00:00Z,acme,1",
			",call,2025-05-10T12:00:00Z,,1",
			"k5,call,2025-05-10T12:00:00Z,acme,1e99")
		stored, known, rejected := d.run(d.feed(path))
		Expect([]int{stored, known, rejected}).To(Equal([]int{1, 0, 6}))
		Expect(read(path + ".rejects")).To(Equal([]string{
			header + ",n,rejected_because",
			"k2,,2020-01-01T00:00:00Z,acme,1,event_name: is required; timestamp: is older than the grace period",
			"k3,call,2025-05-10T12:00:00Z,acme,,row: has 4 columns where the first row has 5",
			`"k4,ca""ll,2025-05-10T12:00:00Z,acme,1",,,,,"row: bare "" in non-quoted-field"`,
			",call,2025-05-10T12:00:00Z,acme,1,idempotency_key: is required",
			`,call,2025-05-10T12:00:00Z,,1,"idempotency_key: is required; customer_id, external_customer_id: exactly one must be specified"`,
			"k5,call,2025-05-10T12:00:00Z,acme,1e99,properties.n: must be a number below 1e30 with up to 38 significant digits and 60 decimal places",
		}))

		again := read(path + ".rejects")
		again[1] = strings.Replace(again[1], "k2,,2020-01-01T00", "k2,call,2025-05-10T01", 1)
		again[2] = strings.Replace(again[2], "acme,,", "acme,7,", 1)
		path = d.file("usage.csv.rejects", again...)
		stored, known, rejected = d.run(d.feed(path))
		Expect([]int{stored, known, rejected}).To(Equal([]int{2, 0, 4}))
		Expect(d.events()).To(Equal([]string{`k1 e:acme {"n": 1}`, `k2 e:acme {"n": 1}`, `k3 e:acme {"n": 7}`}))
		Expect(read(path + ".rejects")).To(HaveLen(5))
	})

	It("leaves out objects that cannot be stored likewise", func() {
		good := `"event_name": "call", "timestamp": "2025-05-10T12:00:00Z", "external_customer_id": "acme"`
		path := d.file("usage.jsonl",
			`{"idempotency_key": "k1", `+good+`, "properties": {"p": []}}`,
			`not JSON`, `{"n": [}`, `{} {}`, `{}`)
		_, _, rejected := d.run(d.feed(path))
		Expect(rejected).To(Equal(5))
		Expect(read(path + ".rejects")).To(Equal([]string{
			`{"idempotency_key": "k1", ` + good + `, "properties": {"p": []},"rejected_because":"properties.p: must be a string, number or boolean"}`,
			`{"line":"not JSON","rejected_because":"event: must be an object"}`,
			`{"line":"{\"n\": [}","rejected_because":"event: must be valid JSON"}`,
			`{"line":"{} {}","rejected_because":"event: nothing may follow the object"}`,
			`{"rejected_because":"idempotency_key: is required; event_name: is required; customer_id, external_customer_id: exactly one must be specified; timestamp: must be an ISO 8601 date-time in UTC"}`,
		}))
		corrected := strings.Replace(read(path + ".rejects")[0], "[]", "1", 1)
		d.run(d.feed(d.file("corrected.jsonl", corrected)))
		Expect(d.events()).To(Equal([]string{`k1 e:acme {"p": 1}`}))
	})

	It("is not fed while another's rejects would be overwritten", func() {
		path := d.file("usage.csv", header, "k1,call,2025-05-10T12:00:00Z,acme")
		d.file("usage.csv.rejects", "mine")
		_, err := d.feed(path).Run(d.ctx)
		Expect(err).To(MatchError(ContainSubstring("usage.csv.rejects is there already")))
		Expect(d.events()).To(BeEmpty())
		f := d.feed(path)
		f.Rejects = path + ".others"
		d.run(f)
		Expect(d.events()).To(HaveLen(1))
	})

	DescribeTable("is refused when its form is not clear",
		func(name, first, words string) {
			_, err := d.feed(d.file(name, first)).Run(d.ctx)
			Expect(err).To(MatchError(ContainSubstring(words)))
		},
		Entry("by its name", "usage.txt", header, "--format"),
		Entry("without a key", "usage.csv", "event_name,timestamp,customer_id", `no column "idempotency_key"`),
		Entry("without a customer", "usage.csv", "idempotency_key,event_name,timestamp", `neither a column "customer_id"`),
		Entry("in another encoding", "usage.csv", header+",gr\xf6\xdfe", "the first row must be text in UTF-8"),
		Entry("with a column twice", "usage.csv", header+",n,n", `the column "n" stands twice`),
	)

	It("is refused when an open quotation mark makes one row of it all", func() {
		path := d.file("usage.csv", header, "k1,call,2025-05-10T12:00:00Z,acme", `k2,"call`, strings.Repeat(strings.Repeat("x", 1023)+"\n", 33<<10))
		_, err := d.feed(path).Run(d.ctx)
		Expect(err).To(MatchError(ContainSubstring("after line 2: a row has more than 32 MiB")))
		Expect(d.events()).To(HaveLen(1))
	})

	It("has lines of bounded length", func() {
		path := d.file("usage.ndjson", strings.Repeat("x", 33<<20), `{"idempotency_key":"k2","event_name":"call","timestamp":"2025-05-10T12:00:00Z","external_customer_id":"acme"}`)
		stored, _, rejected := d.run(d.feed(path))
		Expect([]int{stored, rejected}).To(Equal([]int{1, 1}))
	})

	It("is read from where standard input is, without a journal, also where that is a file", func() {
		in, err := os.Open(d.file("usage.ndjson", "passed over",
			`{"idempotency_key":"k1","event_name":"call","timestamp":"2025-05-10T12:00:00Z","external_customer_id":"acme"}`))
		Expect(err).NotTo(HaveOccurred())
		_, err = in.Seek(int64(len("passed over\n")), io.SeekStart)
		Expect(err).NotTo(HaveOccurred())
		former := os.Stdin
		os.Stdin = in
		DeferCleanup(func() { os.Stdin = former })
		f := d.feed("-")
		f.Format, f.Rejects = importevents.NDJSON, d.dir+"/rejects"
		f.Report = func(importevents.Progress) { Expect("-.progress").NotTo(BeAnExistingFile()) }
		stored, _, rejected := d.run(f)
		Expect([]int{stored, rejected}).To(Equal([]int{1, 0}))
	})

	It("is read from where a pipe is, without a journal", func() {
		in, err := os.Open(d.file("usage.csv", header, "k1,call,2025-05-10T12:00:00Z,acme", "k2,,,"))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(in.Close)
		pipe, out, err := os.Pipe()
		Expect(err).NotTo(HaveOccurred())
		go func() {
			defer GinkgoRecover()
			fmt.Fprint(out, strings.Join(read(in.Name()), "\n"))
			_ = out.Close()
		}()
		former := os.Stdin
		os.Stdin = pipe
		DeferCleanup(func() { os.Stdin = former })
		f := d.feed("-")
		f.Format, f.Rejects = importevents.CSV, d.dir+"/rejects"
		stored, _, rejected := d.run(f)
		Expect([]int{stored, rejected}).To(Equal([]int{1, 1}))
		Expect(read(f.Rejects)).To(HaveLen(2))
	})
})
