package console_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/audit"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/user"
	"tollkeeper/store"
)

var _ = Describe("The page of the letterhead", func() {
	const path = "/console/settings/letterhead"
	var s *site
	var mira *browser
	BeforeEach(func() {
		s = newSite()
		mira = s.setUp()
	})
	read := func(fn func(tx *store.Tx) error) {
		GinkgoHelper()
		Expect(s.store.View(store.WithAccount(context.Background(), s.account.ID), fn)).To(Succeed())
	}
	current := func() (l letterhead.Letterhead) {
		GinkgoHelper()
		read(func(tx *store.Tx) (err error) {
			l, err = letterhead.Current(tx)
			return err
		})
		return l
	}
	// send sends the form with its token, and a file where there is one.
	send := func(b *browser, fields map[string]string, logo []byte) page {
		GinkgoHelper()
		b.get(path)
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		Expect(form.WriteField("csrf", b.form)).To(Succeed())
		for name, value := range fields {
			Expect(form.WriteField(name, value)).To(Succeed())
		}
		if logo != nil {
			file, err := form.CreateFormFile("logo", "logo.png")
			Expect(err).NotTo(HaveOccurred())
			_, err = file.Write(logo)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(form.Close()).To(Succeed())
		request, err := http.NewRequest(http.MethodPost, s.url+path, &body)
		Expect(err).NotTo(HaveOccurred())
		request.Header.Set("Content-Type", form.FormDataContentType())
		answer, err := b.client.Do(request)
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		Expect(err).NotTo(HaveOccurred())
		return page{answer, string(text)}
	}
	picture := func(wide int) []byte {
		var b bytes.Buffer
		Expect(png.Encode(&b, image.NewGray(image.Rect(0, 0, wide, 10)))).To(Succeed())
		return b.Bytes()
	}
	filled := map[string]string{
		"name": "Ours <Ltd>", "address.line1": "88 Quay Street", "address.city": "Dublin", "address.country": "IE", "tax_numbers.vat": "IE9876543Z",
		"bank.iban": "IE29AIBK93115212345678", "color": "#14515c", "language": "de", "footer": "Ours, Dublin", "link_days": "90",
	}

	It("changes what documents say, with an entry in the audit log, and shows it in a sample", func() {
		Expect(mira.get("/console/settings").expect(200).text).To(ContainSubstring(path))
		before := mira.get(path + "/sample.pdf").expect(200)
		Expect(before.Header.Get("Content-Type")).To(Equal("application/pdf"))
		Expect(before.text).To(HavePrefix("%PDF-"))
		send(mira, filled, picture(40)).leads(path + "?done=saved")
		made := current()
		Expect(made.Content.Name).To(Equal("Ours <Ltd>"))
		Expect(made.Content.Address).To(Equal(letterhead.Address{Line1: "88 Quay Street", City: "Dublin", Country: "IE"}))
		Expect(made.Content.Number(letterhead.NumberVAT)).To(Equal("IE9876543Z"))
		Expect(made.Content.Bank.IBAN).To(Equal("IE29AIBK93115212345678"))
		Expect([]any{made.Content.Color, made.Content.Language, made.Content.LinkDays, made.LogoType}).To(Equal([]any{"#14515c", letterhead.German, 90, "image/png"}))
		Expect(mira.get(path).expect(200).text).To(And(ContainSubstring("Ours &lt;Ltd&gt;"), ContainSubstring("Remove the logo")))
		Expect(mira.get(path + "/sample.pdf").expect(200).text).NotTo(Equal(before.text))
		read(func(tx *store.Tx) error {
			entries, _, err := audit.List(tx, audit.Filter{}, store.Page{Limit: 10})
			Expect(entries[0].Action).To(Equal("updateLetterhead"))
			Expect(entries[0].Actor.Name).To(Equal("Mira"))
			return err
		})

		By("keeping what the form does not have")
		send(mira, map[string]string{"name": "Ours"}, nil).leads(path + "?done=saved")
		Expect(current().Logo).To(Equal(made.Logo))
		Expect(current().Content.Color).To(BeEmpty())
		send(mira, map[string]string{"name": "Ours", "no_logo": "yes"}, nil).leads(path + "?done=saved")
		Expect(current().Logo).To(BeEmpty())
	})

	DescribeTable("refuses, and changes nothing",
		func(fields map[string]string, logo func() []byte, problem string) {
			var file []byte
			if logo != nil {
				file = logo()
			}
			refused := send(mira, fields, file).expect(400)
			Expect(refused.text).To(And(ContainSubstring("Nothing was saved"), ContainSubstring(problem)))
			Expect(current().ID).To(BeEmpty())
		},
		Entry("a country that is none", map[string]string{"address.country": "Irl"}, nil, "f-address.country-problem"),
		Entry("an IBAN that is none", map[string]string{"bank.iban": "12", "name": "Kept as entered"}, nil, "Kept as entered"),
		Entry("a color that is none", map[string]string{"color": "red"}, nil, "f-color-problem"),
		Entry("a name that is too long", map[string]string{"name": strings.Repeat("a", 256)}, nil, "f-name-problem"),
		Entry("a number that is too long", map[string]string{"tax_numbers.tax": strings.Repeat("1", 101)}, nil, "f-tax_numbers.tax-problem"),
		Entry("days that are none", map[string]string{"link_days": "many"}, nil, "f-link_days-problem"),
		Entry("days that are too many", map[string]string{"link_days": "9999"}, nil, "f-link_days-problem"),
		Entry("a logo that is something else, whatever its name", nil, func() []byte { return []byte("<svg onload='alert(1)'/>") }, "f-logo-problem"),
		Entry("a logo that is too large", nil, func() []byte { return append(picture(10), make([]byte, 256<<10)...) }, "f-logo-problem"),
		Entry("a logo that is too wide", nil, func() []byte { return picture(2001) }, "f-logo-problem"),
	)

	It("is for owners alone, with a form of this server", func() {
		for _, role := range user.Roles {
			if role == user.RoleOwner {
				continue
			}
			link := s.invite(s.account, string(role)+"@ours.example", role)
			b := s.browser()
			b.get(link).expect(200)
			b.submit(link, url.Values{"name": {"Jon"}, "password": {phrase}}).leads("/console")
			b.get("/console").expect(200)
			b.get(path).expect(404)
			b.get(path + "/sample.pdf").expect(404)
			Expect(b.get("/console/settings").text).NotTo(ContainSubstring(path))
			b.get("/console/you/password")
			b.submit(path, url.Values{"name": {"Theirs"}}).expect(404)
		}
		mira.submit(path, url.Values{"name": {"Theirs"}, "csrf": {base64.StdEncoding.EncodeToString([]byte("x"))}}).expect(403)
		Expect(current().ID).To(BeEmpty())
	})
})
