package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
)

// programs are the blocks of a guide that are files.
var programs = regexp.MustCompile("(?ms)`(receiver\\.\\w+)`:\n\n```\\w+\n(.*?)^```")

var _ = Describe("The guides", Ordered, ContinueOnFailure, func() {
	var address string
	BeforeAll(func() {
		dir, err := os.MkdirTemp("", "tkh-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, dir)
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_DATA_DIR", dir)
		set("TOLLKEEPER_ADDR", "127.0.0.1:0")
		set("TOLLKEEPER_API_KEY", "")
		set("TOLLKEEPER_WEBHOOK_NETWORKS", "127.0.0.0/8")
		ctx, stop := context.WithCancel(context.Background())
		out, ended := gbytes.NewBuffer(), make(chan error, 1)
		go func() { ended <- run(ctx, []string{"serve"}, out) }()
		DeferCleanup(func() {
			stop()
			Eventually(ended).WithTimeout(startWithin).Should(Receive(Succeed()))
		})
		Eventually(out).WithTimeout(startWithin).Should(gbytes.Say(`answers at `))
		address = regexp.MustCompile(`answers at http://(\S+)`).FindStringSubmatch(string(out.Contents()))[1]
		test, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		names := GinkgoT().TempDir()
		for _, name := range []string{jq, itself} {
			Expect(os.Symlink(test, filepath.Join(names, name))).To(Succeed())
		}
		set("PATH", names+":"+os.Getenv("PATH"))
	})

	// account makes a test account and returns its key.
	account := func() string {
		GinkgoHelper()
		var out bytes.Buffer
		Expect(run(context.Background(), []string{"account", "create", "--name", "Guide", "--mode", "test", "--json"}, &out)).To(Succeed())
		var made struct {
			Key string `json:"api_key"`
		}
		Expect(json.Unmarshal(out.Bytes(), &made)).To(Succeed())
		return made.Key
	}

	// follow runs the commands of a guide, and expects that they print what it says.
	follow := func(ctx context.Context, guide string, env ...string) {
		GinkgoHelper()
		file := filepath.Join("../../../docs", guide)
		text, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		ports := []string{port(), port(), port()}
		places := strings.NewReplacer("127.0.0.1:8080", address, "https://billing.example.com", "http://"+address,
			"4001", ports[0], "4002", ports[1], "4003", ports[2])
		dir := GinkgoT().TempDir()
		for _, program := range programs.FindAllSubmatch(text, -1) {
			Expect(os.WriteFile(filepath.Join(dir, string(program[1])), []byte(places.Replace(string(program[2]))), 0o600)).To(Succeed())
		}
		const mark = "== the next step\n"
		// A job is a group of processes: its shell may have started others.
		script := "set -euo pipefail\nset -m\ntrap 'for job in $(jobs -p); do kill -- -$job 2> /dev/null || true; done; wait || true' EXIT\n"
		all := blocks(file)
		Expect(all).NotTo(BeEmpty())
		for _, s := range all {
			script += s.commands + "printf '" + mark + "'\n"
		}
		var printed, complaints bytes.Buffer
		bash := exec.CommandContext(ctx, "bash", "-c", places.Replace(script))
		bash.Dir, bash.Stdout, bash.Stderr, bash.WaitDelay = dir, &printed, &complaints, time.Second
		bash.Env = append(os.Environ(), env...)
		Expect(bash.Run()).To(Succeed(), "%s\n%s", &printed, &complaints)
		for k, port := range ports {
			if !bytes.Contains(text, fmt.Append(nil, 4001+k)) {
				continue // the guide starts nothing there, and others may have taken the port since
			}
			conn, err := net.Dial("tcp", "127.0.0.1:"+port)
			if err == nil {
				_ = conn.Close()
			}
			Expect(err).To(HaveOccurred(), "what the guide started goes on at port %s", port)
		}
		for i, text := range strings.Split(strings.TrimSuffix(printed.String(), mark), mark) {
			Expect(text).To(Equal(all[i].printed), "%s\n%s", all[i].commands, &complaints)
		}
	}

	var billed string // key of the account of the first bill
	It("get a first bill, and move its account in", NodeTimeout(5*time.Minute), func(ctx SpecContext) {
		billed = account()
		follow(ctx, "first-bill.md", "KEY="+billed)
		use := exec.CommandContext(ctx, "curl", "-fsS", "http://"+address+"/v1/ingest", "-H", "Authorization: Bearer "+billed,
			"-H", "Content-Type: application/json", "-d", `{"events": [{"event_name": "call", "external_customer_id": "acme",
				"idempotency_key": "call-5", "timestamp": "2025-04-01T18:00:00Z", "properties": {"status": 200}}]}`)
		Expect(use.Run()).To(Succeed())
		here := account()
		var out bytes.Buffer
		advance := exec.CommandContext(ctx, "curl", "-fsS", "http://"+address+"/v1/test_clock/advance", "-H", "Authorization: Bearer "+here,
			"-H", "Content-Type: application/json", "-d", `{"now": "2025-04-02T00:00:00Z"}`)
		advance.Stdout, advance.Stderr = &out, &out
		Expect(advance.Run()).To(Succeed(), "%s", &out)
		follow(ctx, "moving-in.md", "OLD_KEY="+billed, "KEY="+here)
	})

	for _, guide := range []string{"keys.md", "backfills.md", "credits.md", "assistants.md"} {
		It("do what they say: "+guide, NodeTimeout(5*time.Minute), func(ctx SpecContext) {
			follow(ctx, guide, "KEY="+account())
		})
	}

	It("verify webhooks in three languages", NodeTimeout(5*time.Minute), func(ctx SpecContext) {
		for _, program := range []string{"node", "python3"} {
			if _, err := exec.LookPath(program); err != nil {
				Skip(program + " is not installed")
			}
		}
		follow(ctx, "webhooks.md", "KEY="+account())
	})
})

// port is one that nothing listens at.
func port() string {
	GinkgoHelper()
	_, port, _ := strings.Cut(freeAddress(), ":")
	return port
}
