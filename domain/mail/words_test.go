package mail_test

import (
	"reflect"
	"regexp"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/mail"
)

var named = regexp.MustCompile(`\{+[a-z_]+\}+`)

func names(text string) []string {
	found := named.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

var _ = Describe("The words of mails", func() {
	english := mail.In(letterhead.English)
	for _, language := range letterhead.Languages {
		words := mail.In(language)

		It("are all there, with the same values to fill in: "+string(language), func() {
			Expect(words.Language).To(Equal(language))
			one, other := reflect.ValueOf(words), reflect.ValueOf(english)
			for k := range one.NumField() {
				if text, is := one.Field(k).Interface().(string); is {
					Expect(text).NotTo(BeEmpty(), one.Type().Field(k).Name)
					Expect(names(text)).To(Equal(names(other.Field(k).String())), one.Type().Field(k).Name)
				}
			}
		})

		It("have a text of each kind to customers, with the same values: "+string(language), func() {
			for _, kind := range mail.Kinds() {
				t, of := mail.Default(kind, words), mail.Default(kind, english)
				Expect(t.Subject).NotTo(BeEmpty(), string(kind))
				Expect(names(t.Subject+t.Body)).To(Equal(names(of.Subject+of.Body)), string(kind))
				for _, name := range names(t.Subject + t.Body) {
					Expect(mail.Values(kind)).To(ContainElement(name[2:len(name)-2]), string(kind))
				}
			}
		})
	}

	It("are the English ones of a language that there is not", func() {
		Expect(mail.In("xx").Language).To(Equal(letterhead.English))
	})
})
