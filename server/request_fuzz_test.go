package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/examples"
)

// requestsOfBatch are made on one account. By then it is full of what they made, and slow.
const requestsOfBatch = 1000

// dearest is the processor time that a request may take, of this process, which is the server and its client.
const dearest = 2 * time.Second

// fuzzer makes requests from the examples of all operations, each wrong in some ways.
type fuzzer struct {
	*rand.Rand
	teller *teller
	ids    []string // of everything that the account has
}

// attempt is one made-up request.
type attempt struct {
	op           *examples.Operation
	method, path string
	body         []byte
	headers      []header
	what         []string // that is wrong
}

func (a attempt) String() string {
	body := a.body
	if len(body) > 300 {
		body = append(slices.Clone(body[:300]), fmt.Sprintf("... %d bytes", len(a.body))...)
	}
	return fmt.Sprintf("%s %.300s %v %q %q", a.method, a.path, a.what, a.headers, body)
}

func newFuzzer(a *api, seed uint64) *fuzzer {
	GinkgoHelper()
	text, err := os.ReadFile(contractFile)
	Expect(err).NotTo(HaveOccurred())
	f := &fuzzer{Rand: rand.New(rand.NewPCG(seed, 1)), teller: newTeller(a, text)}
	f.teller.play(story())
	Expect(f.teller.faults).To(BeEmpty())
	ids := map[string]bool{}
	for _, op := range f.teller.document.Operations {
		eachText("", f.teller.names.Real(op.Body), func(_, text string) { ids[text] = madeUp.MatchString(text) })
		for _, p := range op.Parameters {
			for _, e := range p.Examples {
				text := fmt.Sprint(f.teller.names.Real(e.Value))
				ids[text] = madeUp.MatchString(text)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if ids[id] {
			f.ids = append(f.ids, id)
		}
	}
	return f
}

// text is a random string of letters that do not compress.
func (f *fuzzer) text(length int) string {
	letters := make([]byte, length)
	for i := range letters {
		letters[i] = byte('a' + f.IntN(26))
	}
	return string(letters)
}

// value is a value that hardly fits where it is put.
func (f *fuzzer) value() any {
	switch f.IntN(12) {
	case 0:
		return nil
	case 1:
		return f.IntN(2) == 0
	case 2:
		return json.Number([]string{"0", "-1", "1e308", "1e-300", "1e400000", "-1e-400000", "99999999999999999999999999999999999999", "0.1234567890123456789012345678901234567",
			"9223372036854775807", "9223372036854775808", "-0", "1.5"}[f.IntN(12)])
	case 3:
		return []string{"0001-01-01", "9999-12-31", "9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00+14:00", "2025-02-30", "2025-06-31T25:00:00Z",
			"-0001-01-01", "10000-01-01T00:00:00Z", "2025-06-02T09:00:00", "1969-12-31T23:59:59Z", "2025-06-02T09:00:00.1234567890123Z"}[f.IntN(11)]
	case 4:
		return f.text([]int{65, 300, 3000, 20_000, 300_000}[f.IntN(5)])
	case 5:
		return []string{"", " ", "\x00", "\u202e\u0000x", "😀", "'; DROP TABLE accounts; --", "%s%n", "../../etc/passwd", "\ufeffx", "a\u0300", "NaN", "Infinity", "1e400000",
			"-1", "0.00000000000000000001", "1_000", "١٢٣"}[f.IntN(17)]
	case 6:
		return object{}
	case 7:
		return list{}
	case 8:
		deep := any("x")
		for range []int{10, 63, 64, 65, 1000}[f.IntN(5)] {
			if f.IntN(2) == 0 {
				deep = list{deep}
			} else {
				deep = object{"a": deep}
			}
		}
		return deep
	case 9:
		many := list{}
		for range []int{101, 2000}[f.IntN(2)] {
			many = append(many, object{})
		}
		return many
	case 10:
		wide := object{}
		for n := range 1500 {
			wide[strconv.Itoa(n)] = n
		}
		return wide
	}
	return f.ids[f.IntN(len(f.ids))]
}

// attempt makes the next request of an operation.
func (f *fuzzer) attempt(op *examples.Operation) attempt {
	a := attempt{op: op, method: op.Method, path: op.Path}
	query := url.Values{}
	for _, p := range op.Parameters {
		value := "x"
		if len(p.Examples) > 0 {
			value = fmt.Sprint(f.teller.names.Real(p.Examples[f.IntN(len(p.Examples))].Value))
		}
		if p.In == "path" {
			if f.IntN(8) == 0 {
				a.what = append(a.what, "id")
				value = []string{f.ids[f.IntN(len(f.ids))], f.text(5000), "\x00", "a/b", "%", "é😀", strings.Repeat("'", 30), " "}[f.IntN(8)]
			}
			a.path = strings.ReplaceAll(a.path, "{"+p.Name+"}", url.PathEscape(value))
		} else if p.Required || f.IntN(3) == 0 {
			query.Set(p.Name, value)
		}
		if p.In == "query" && f.IntN(4) == 0 {
			a.what = append(a.what, "query "+p.Name)
			text, isText := f.value().(string)
			if !isText {
				text = []string{"-1", "0", "101", "1e3", "true", "null", "[]", "99999999999999999999"}[f.IntN(8)]
			}
			query.Add(p.Name, text[:min(len(text), 10_000)])
		}
	}
	if f.IntN(10) == 0 {
		a.what = append(a.what, "cursor")
		cursor := []byte("MTc0Njg3ODQwMDAwMDAwMC43LmN1c3RvbWVycy5jcmVhdGVkX2F0")
		cursor[f.IntN(len(cursor))] = byte(f.IntN(256))
		query.Set("cursor", string(cursor[:f.IntN(len(cursor)+1)]))
	}
	if len(query) > 0 {
		a.path += "?" + query.Encode()
	}
	if op.HasBody {
		a.body, a.what = f.body(f.teller.names.Real(op.Body), a.what)
	} else if f.IntN(20) == 0 {
		a.what, a.body = append(a.what, "a body"), []byte(`{"a":1}`)
	}
	if f.IntN(15) == 0 {
		a.what = append(a.what, "header")
		a.headers = append(a.headers, []header{
			{"Idempotency-Key", f.text(65)}, {"Idempotency-Key", "same"}, {"Content-Type", "text/plain"}, {"Content-Encoding", "gzip"}, {"Content-Encoding", "br"},
			{"Create-Pending-Subscription-Change", "perhaps"}, {"X-Request-Id", f.text(300)}, {"Authorization", "Bearer " + f.text(5000)}, {"Accept", "text/csv"},
		}[f.IntN(9)])
	}
	return a
}

// body makes an example wrong, first its values, then its text.
func (f *fuzzer) body(example any, what []string) ([]byte, []string) {
	copied, err := json.Marshal(example)
	Expect(err).NotTo(HaveOccurred())
	value, _ := parsed(string(copied))
	for range f.IntN(4) {
		spots := spotsOf(value, func(v any) { value = v }, func() { value = nil })
		s := spots[f.IntN(len(spots))]
		switch f.IntN(6) {
		case 0:
			what = append(what, "left out")
			s.drop()
		case 1:
			what = append(what, "unknown member")
			if o, ok := s.value.(object); ok {
				o[f.text(1+f.IntN(20))] = f.value()
			}
		case 2:
			what = append(what, "repeated entry")
			if l, ok := s.value.(list); ok && len(l) > 0 {
				s.set(slices.Repeat(l, []int{2, 200, 3000}[f.IntN(3)]))
			}
		default:
			v := f.value()
			what = append(what, fmt.Sprintf("%T", v))
			s.set(v)
		}
	}
	text, err := json.Marshal(value)
	if err != nil { // a number that encoding/json does not write
		text = copied
	}
	if f.IntN(10) != 0 || len(text) == 0 {
		return text, what
	}
	at := f.IntN(len(text))
	switch f.IntN(6) {
	case 0:
		return text[:at], append(what, "cut text")
	case 1:
		return slices.Concat(text[:at], []byte{0xff, 0xc0, 0x80}, text[at:]), append(what, "invalid UTF-8")
	case 2:
		return bytes.Replace(text, []byte("{"), []byte(`{"name":"a","name":"b",`), 1), append(what, "a member twice")
	case 3:
		return append(text, "{}"...), append(what, "text after the body")
	case 4:
		return bytes.Replace(text, []byte(`"`), []byte(`"\ud800`), 1), append(what, "half a pair of surrogates")
	}
	return []byte(strings.Repeat("[", 100_000)), append(what, "depth")
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// send sends a request and returns what is wrong with the answer, or with its cost.
func (a attempt) send(to *api) (wrong string) {
	before := processorTime()
	var r *answer
	var body any
	if a.body != nil {
		body = a.body
	}
	failures := InterceptGomegaFailures(func() { r = to.send(a.method, a.path, body, a.headers...) })
	used := processorTime() - before
	switch {
	case len(failures) > 0:
		return fmt.Sprintf("%s\n%.2000s", a, strings.Join(failures, "\n"))
	case r.status >= 500:
		return fmt.Sprintf("%s\nis answered %d %s", a, r.status, r.text)
	case used > dearest:
		return fmt.Sprintf("%s\ntakes %s of a processor", a, used)
	}
	return ""
}

// cut sends a part of a request and leaves, or stays without sending the rest.
func (a attempt) cut(to *api, random *rand.Rand) (stalled net.Conn, err error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(to.url, "http://"))
	if err != nil {
		return nil, err
	}
	var whole bytes.Buffer
	request, err := http.NewRequest(a.method, to.url+a.path, bytes.NewReader(a.body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+to.key)
	request.Header.Set("Content-Type", "application/json")
	if err := request.Write(&whole); err != nil {
		return nil, err
	}
	out := bufio.NewWriter(conn)
	_, _ = out.Write(whole.Bytes()[:random.IntN(whole.Len())]) // the server may have closed
	_ = out.Flush()
	if random.IntN(2) == 0 {
		return conn, nil
	}
	return nil, conn.Close()
}

// batch sends so many requests of a seed on an account of its own, and returns what is wrong.
func batch(seed uint64, requests int) (wrong []string) {
	GinkgoHelper()
	a := start()
	*a.spoiled = true // what was sent in halves may take effect after the last look
	f := newFuzzer(a, seed)
	ops := f.teller.document.Operations
	for n := range requests {
		next := f.attempt(ops[(n+int(seed)*requests)%len(ops)])
		if f.IntN(40) == 0 {
			stalled, err := next.cut(a, f.Rand)
			if err == nil && stalled != nil {
				defer func() { _ = stalled.Close() }()
			}
			continue
		}
		if fault := next.send(a); fault != "" {
			wrong = append(wrong, fmt.Sprintf("seed %d, request %d: %s", seed, n, fault))
		}
	}
	if status := a.get("/v1/ping").status; status != http.StatusOK {
		wrong = append(wrong, fmt.Sprintf("seed %d: the key of the account works no more: %d", seed, status))
	}
	return wrong
}

// fromEnvironment reads a number from the environment.
func fromEnvironment(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// partsOfFuzz are specs that share the requests, so that several processes may send them.
const partsOfFuzz = 3

var _ = Describe("Requests that are made up from the contract", func() {
	// SPEC_REQUESTS are sent, from the seed SPEC_SEED on; seeds in the file SPEC_REQUESTS_DONE were sent before.
	for part := range partsOfFuzz {
		It(fmt.Sprintf("are answered as the contract says, at a cost that is bounded, whatever is wrong with them (%d of %d)", part+1, partsOfFuzz), func() {
			requests, first := fromEnvironment("SPEC_REQUESTS", 1000), fromEnvironment("SPEC_SEED", 1)
			size := min(requestsOfBatch, (requests+partsOfFuzz-1)/partsOfFuzz)
			path := os.Getenv("SPEC_REQUESTS_DONE")
			sent := 0
			var wrong []string
			for batches, k := (requests+size-1)/size, part; k < batches && len(wrong) < 10; k += partsOfFuzz {
				seed := strconv.Itoa(first + k)
				text, _ := os.ReadFile(path)
				done := strings.Fields(string(text))
				if slices.Contains(done, seed) {
					continue
				}
				sent += size
				found := batch(uint64(first+k), size)
				wrong = append(wrong, found...)
				if path != "" && len(found) == 0 && size == requestsOfBatch {
					Expect(os.WriteFile(path, []byte(strings.Join(append(done, seed), "\n")), 0o600)).To(Succeed())
				}
			}
			AddReportEntry("requests", fmt.Sprintf("%d, seeds from %d on", sent, first))
			Expect(strings.Join(wrong, "\n\n")).To(BeEmpty())
		})
	}
})
