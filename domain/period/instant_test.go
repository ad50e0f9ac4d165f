package period_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/period"
)

var _ = Describe("ParseInstant", func() {
	DescribeTable("reads, for a customer in New York,",
		func(in, want string) {
			t, err := period.ParseInstant(in, zone("America/New_York"))
			Expect(err).NotTo(HaveOccurred())
			Expect(period.FormatInstant(t)).To(Equal(want))
			Expect(t.Location()).To(Equal(time.UTC))
		},
		Entry("UTC", "2025-02-01T00:00:00Z", "2025-02-01T00:00:00+00:00"),
		Entry("UTC in small letters", "2025-02-01t00:00:00z", "2025-02-01T00:00:00+00:00"),
		Entry("an offset", "2025-02-01T00:00:00+05:30", "2025-01-31T18:30:00+00:00"),
		Entry("a negative offset of zero", "2025-02-01T00:00:00-00:00", "2025-02-01T00:00:00+00:00"),
		Entry("nine digits of a second, cut to six", "2025-02-01T00:00:00.123456789Z", "2025-02-01T00:00:00.123456+00:00"),
		Entry("one digit of a second", "2025-02-01T00:00:00.5Z", "2025-02-01T00:00:00.5+00:00"),
		Entry("a local time", "2025-02-01T10:00:00", "2025-02-01T15:00:00+00:00"),
		Entry("a local time with a fraction", "2025-02-01T10:00:00.25", "2025-02-01T15:00:00.25+00:00"),
		Entry("a local time without seconds", "2025-02-01T10:00", "2025-02-01T15:00:00+00:00"),
		Entry("a local time that the clock skips: after the gap", "2025-03-09T02:30", "2025-03-09T07:00:00+00:00"),
		Entry("a local time that comes twice: the first", "2025-11-02T01:30", "2025-11-02T05:30:00+00:00"),
		Entry("a date", "2025-02-01", "2025-02-01T05:00:00+00:00"),
	)

	refused := []TableEntry{
		Entry("nothing", ""),
		Entry("31 February", "2025-02-31T00:00:00Z"),
		Entry("a bare 31 February", "2025-02-31"),
		Entry("hour 24", "2025-02-01T24:00:00Z"),
		Entry("minute 60", "2025-02-01T00:60:00Z"),
		Entry("a leap second", "2016-12-31T23:59:60Z"),
		Entry("year 0", "0000-02-01T00:00:00Z"),
		Entry("year 0 in UTC", "0001-01-01T00:00:00+01:00"),
		Entry("year 10000 in UTC", "9999-12-31T23:00:00-01:00"),
		Entry("ten digits of a second", "2025-02-01T00:00:00.1234567890Z"),
		Entry("an offset without seconds", "2025-02-01T00:00+00:00"),
		Entry("an offset of 24 hours", "2025-02-01T00:00:00+24:00"),
		Entry("an offset without colon", "2025-02-01T00:00:00+0000"),
		Entry("a blank for the T", "2025-02-01 00:00:00Z"),
		Entry("a comma", "2025-02-01T00:00:00,5Z"),
		Entry("a week date", "2025-W05-6"),
		Entry("an ordinal date", "2025-032"),
		Entry("an epoch number", "1738368000"),
		Entry("a month", "2025-02"),
		Entry("something behind", "2025-02-01T00:00:00Z\n"),
	}

	DescribeTable("refuses", func(in string) {
		_, err := period.ParseInstant(in, time.UTC)
		Expect(err).To(HaveOccurred())
		_, err = period.ParseDateTime(in, time.UTC)
		Expect(err).To(HaveOccurred())
	}, refused)

	It("refuses a date where a time is needed", func() {
		_, err := period.ParseDateTime("2025-02-01", time.UTC)
		Expect(err).To(HaveOccurred())
		t, err := period.ParseDateTime("2025-02-01T00:00", time.UTC)
		Expect(err).NotTo(HaveOccurred())
		Expect(t).To(Equal(at("2025-02-01")))
	})

	property("reads what FormatInstant writes", func(t *rapid.T) {
		instant := drawInstant(t, time.UTC, "instant").Add(time.Duration(rapid.IntRange(0, 999_999).Draw(t, "microseconds")) * time.Microsecond)
		back, err := period.ParseDateTime(period.FormatInstant(instant), zone("Asia/Kolkata"))
		if err != nil || !back.Equal(instant) {
			t.Fatalf("%s became %s, %v", instant, back, err)
		}
	})
})
