package browser_test

import (
	"fmt"
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
)

// step is a click on what has a name, or what is typed into the field of that name.
type step struct{ name, typed, leads string }

// number is that of an issued invoice.
const number = `[A-Z]{6}-\d{5}`

// The paths of docs/console.md, whose table says how many clicks each takes.
var _ = DescribeTable("A person who has never seen the console finds",
	func(question string, steps []step, seen string) {
		t := open(shop.url, shop.session(user.RoleOwner))
		t.visit("/console")
		clicks := 0
		for _, s := range steps {
			if s.typed != "" {
				t.click(s.name)
				t.press(s.typed)
				continue
			}
			t.click(s.name)
			clicks++
			t.arrive(s.leads)
		}
		Eventually(t.text).Should(ContainSubstring(seen))
		Expect(t.noted()).To(BeEmpty())
		Expect(clicks).To(BeNumerically("<=", 4))

		guide, err := os.ReadFile("../../docs/console.md")
		Expect(err).NotTo(HaveOccurred())
		row := ""
		for line := range strings.Lines(string(guide)) {
			if strings.HasPrefix(line, "| "+question+" |") {
				row = strings.TrimSpace(line)
			}
		}
		Expect(row).To(HaveSuffix(fmt.Sprintf("| %d |", clicks)))
	},
	Entry("the reason of an amount", "Why does a line of an invoice cost what it does?",
		[]step{{number, "", "^/console/invoices/inv"}, {"Map tiles", "", `\?line=`}}, "SELECT SUM(tiles) FROM events"),
	Entry("who runs out of credits", "Which customers will run out of credits?",
		[]step{{"Credits", "", "^/console/credits"}}, "Alpenblick Reisen GmbH"),
	Entry("how to issue a key", "How do I issue a key?",
		[]step{{"API keys", "", "^/console/keys"}, {"New key", "", "createAPIKey"}, {"Name.*", "Reports", ""}, {"Create an API key", "", "createAPIKey"}}, "This is shown once"),
	Entry("how to correct an invoice", "How do I correct a wrong invoice?",
		[]step{{number, "", "^/console/invoices/inv"}, {"Credit", "", "createCreditNote|credit"}, {"Credit lines of an invoice|Issue credit note", "", "^/console/(credit-notes/|invoices/)"}}, "Map tiles"),
	Entry("how to send a webhook again", "How do I send a failed webhook again?",
		[]step{{"See deliveries", "", "^/console/webhooks/"}, {`[a-z_]+\.[a-z_]+`, "", "^/console/deliveries/"}, {"Send again", "", "resendWebhookDelivery"},
			{"Send a webhook delivery again", "", "^/console/deliveries/"}}, "Pending"),
)
