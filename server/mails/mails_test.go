package mails_test

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/mail"
	"tollkeeper/domain/money"
	"tollkeeper/server/mails"
)

var _ = DescribeTable("The address of a mail server",
	func(text, from, wrong string) {
		_, err := mails.ParseSMTP(text, from)
		if wrong == "" {
			Expect(err).NotTo(HaveOccurred())
			return
		}
		Expect(err).To(MatchError(ContainSubstring(wrong)))
		Expect(err.Error()).NotTo(ContainSubstring("hush"))
	},
	Entry("with STARTTLS", "smtp://ann:hush@mail.example.com:587", "Billing <billing@example.com>", ""),
	Entry("with TLS from the start", "smtps://mail.example.com", "", ""),
	Entry("without TLS", "smtp://127.0.0.1:25?tls=off", "", ""),
	Entry("a password without TLS", "smtp://ann:hush@127.0.0.1?tls=off", "", "password without TLS"),
	Entry("another scheme", "http://ann:hush@mail.example.com", "", "must begin with smtp://"),
	Entry("no host", "smtp://", "", "must be such as"),
	Entry("no address", "ann:hush@mail", "", "must be such as"),
	Entry("a wrong port", "smtp://mail.example.com:0", "", "port from 1"),
	Entry("another parameter", "smtp://mail.example.com?ssl=no", "", "unknown parameter"),
	Entry("another kind of TLS", "smtp://mail.example.com?tls=maybe", "", "tls can only be off"),
	Entry("a sender that is no address", "smtp://mail.example.com", "Billing", "sender must be an address"),
)

var _ = DescribeTable("An amount in a mail",
	func(amount, currency, shown string) {
		Expect(strings.ReplaceAll(mails.Amount(money.Must(amount), money.Currency(currency)), "\u00a0", " ")).To(Equal(shown))
	},
	Entry("small", "0.5", "USD", "USD 0.50"),
	Entry("grouped", "1234567.891", "EUR", "EUR 1,234,567.89"),
	Entry("three digits", "999", "USD", "USD 999.00"),
	Entry("negative", "-1000", "USD", "USD −1,000.00"),
	Entry("without minor units", "12000", "JPY", "JPY 12,000"),
	Entry("in credits", "1500.5", "credits", "1,500.5 credits"),
)

var _ = Describe("A mail", func() {
	for _, kind := range mail.Kinds() {
		// SPEC_MAILS is a folder for the HTML, to look at.
		It("has all values of its template, as text and as HTML: "+string(kind), func() {
			english := mail.In(letterhead.English)
			t := mail.Default(kind, english)
			for _, name := range mail.Values(kind) {
				t.Body += "\n\n" + name + " {{" + name + "}}"
			}
			subject, text, html, err := mails.Example("Acme & Söhne", t, english)
			Expect(err).NotTo(HaveOccurred())
			for _, name := range mail.Values(kind) {
				Expect(text).To(MatchRegexp(name+` \S`), "a value has an example")
			}
			Expect(subject + text + html).NotTo(ContainSubstring("{{"))
			Expect(html).To(And(ContainSubstring("Acme &amp; Söhne"), Not(ContainSubstring("ZgotmplZ")), Not(ContainSubstring("<script"))))
			Expect(html).NotTo(MatchRegexp(`(src|background)=`), "nothing is loaded")
			if dir := os.Getenv("SPEC_MAILS"); dir != "" {
				for _, language := range letterhead.Languages {
					words := mail.In(language)
					_, _, html, err := mails.Example("Acme & Söhne", mail.Default(kind, words), words)
					Expect(err).NotTo(HaveOccurred())
					Expect(os.WriteFile(filepath.Join(dir, string(kind)+"-"+string(language)+".html"), []byte(html), 0o600)).To(Succeed())
				}
			}
		})
	}

	It("is in one language, in each kind to customers", func() {
		english := mail.In(letterhead.English)
		for _, language := range letterhead.Languages[1:] {
			words := mail.In(language)
			for _, kind := range mail.Kinds() {
				if kind == mail.Alert { // to the account's own people
					continue
				}
				_, foreign, html, err := mails.Example("Acme", mail.Default(kind, words), words)
				Expect(err).NotTo(HaveOccurred())
				Expect(html).To(ContainSubstring(`<html lang="` + string(language) + `">`))
				_, text, _, err := mails.Example("Acme", mail.Default(kind, english), english)
				Expect(err).NotTo(HaveOccurred())
				for line := range strings.Lines(text) {
					if strings.ContainsFunc(line, unicode.IsLower) {
						Expect(strings.Split(foreign, "\n")).NotTo(ContainElement(strings.TrimSuffix(line, "\n")), "%s, %s", language, kind)
					}
				}
			}
		}
	})

	It("leads to no page by another scheme than that of pages", func() {
		_, html, err := mails.View{Sender: "Acme", Link: &mails.Link{Text: "Open", URL: "javascript:alert(1)"}}.Render("x")
		Expect(err).NotTo(HaveOccurred())
		Expect(html).NotTo(ContainSubstring(`href="javascript`))
	})
})
