package letterhead_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/letterhead"
	"tollkeeper/store/fault"
)

// progressive is a JPEG of 2000 pixels wide and high, of so many scans of a few bytes: each is of one
// coefficient that is 0 in all 62,500 blocks.
func progressive(scans int) []byte {
	var b bytes.Buffer
	segment := func(marker byte, content ...byte) {
		b.Write([]byte{0xff, marker})
		_ = binary.Write(&b, binary.BigEndian, uint16(2+len(content)))
		b.Write(content)
	}
	b.Write([]byte{0xff, 0xd8})
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(0xc2, 8, 2000>>8, 2000&0xff, 2000>>8, 2000&0xff, 1, 1, 0x11, 0)
	segment(0xc4, append([]byte{0x10, 1}, append(make([]byte, 15), 0xe0)...)...) // the code 0: a run of blocks without a coefficient
	for range scans {
		segment(0xda, 1, 1, 0, 1, 1, 0)
		b.Write([]byte{0x7f, 0xfe, 0xff, 0, 0xfc}) // 0 and 14 bits, twice: two runs of 32,767 blocks
	}
	b.Write([]byte{0xff, 0xd9})
	return b.Bytes()
}

func written(encode func(*bytes.Buffer) error) []byte {
	GinkgoHelper()
	var b bytes.Buffer
	Expect(encode(&b)).To(Succeed())
	return b.Bytes()
}

func picture(width, height int) image.Image { return image.NewNRGBA64(image.Rect(0, 0, width, height)) }

func pngOf(width, height int) []byte {
	return written(func(b *bytes.Buffer) error { return png.Encode(b, picture(width, height)) })
}

func read(logo []byte) (letterhead.Letterhead, error) {
	return letterhead.Read(context.Background(), letterhead.Content{}, logo)
}

var _ = Describe("A logo", func() {
	DescribeTable("is a PNG or a JPEG", func(logo func() []byte, kind string) {
		l, err := read(logo())
		Expect(err).NotTo(HaveOccurred())
		Expect(l.LogoType).To(Equal(kind))
	},
		Entry("or is none", func() []byte { return nil }, ""),
		Entry("PNG, as large as may be", func() []byte { return pngOf(2000, 2000) }, "image/png"),
		Entry("JPEG", func() []byte {
			return written(func(b *bytes.Buffer) error { return jpeg.Encode(b, picture(20, 30), nil) })
		}, "image/jpeg"),
		Entry("progressive JPEG of as many scans as may be", func() []byte { return progressive(64) }, "image/jpeg"),
	)

	DescribeTable("is drawn in a form of 8 bits that is no larger than documents show", func(logo func() []byte, width, height int) {
		l, err := read(logo())
		Expect(err).NotTo(HaveOccurred())
		form, err := png.DecodeConfig(bytes.NewReader(l.LogoDrawn))
		Expect(err).NotTo(HaveOccurred())
		Expect([]int{form.Width, form.Height}).To(Equal([]int{width, height}))
		Expect(form.ColorModel).To(Equal(color.NRGBAModel))
		again, err := read(l.LogoDrawn)
		Expect(err).NotTo(HaveOccurred())
		Expect(again.LogoDrawn).To(Equal(l.LogoDrawn), "it is its own form")
	},
		Entry("as it is", func() []byte { return pngOf(240, 60) }, 240, 60),
		Entry("wide", func() []byte { return pngOf(2000, 100) }, 1228, 61),
		Entry("high", func() []byte { return pngOf(100, 2000) }, 18, 378),
		Entry("a line", func() []byte { return pngOf(2000, 1) }, 1228, 1),
		Entry("as large as may be", func() []byte { return pngOf(2000, 2000) }, 378, 378),
	)

	It("that is a JPEG is drawn as it is, without being decoded", func() {
		l, err := read(progressive(64))
		Expect(err).NotTo(HaveOccurred())
		Expect(l.LogoDrawn).To(BeEmpty())
	})

	// The rule: semantics 19.5.2.
	DescribeTable("is refused", func(logo func() []byte, why string) {
		_, err := read(logo())
		Expect(err).To(MatchError(ContainSubstring(why)))
	},
		Entry("of 65 scans", func() []byte { return progressive(65) }, "at most 64 scans"),
		Entry("of 32 kB of scans, which took ten seconds", func() []byte { return progressive(2100) }, "at most 64 scans"),
		Entry("that is wide", func() []byte { return pngOf(2001, 1) }, "pixels"),
		Entry("that is high", func() []byte { return pngOf(1, 2001) }, "pixels"),
		Entry("of more than 256 KiB, whatever it is", func() []byte { return make([]byte, 256<<10+1) }, "bytes"),
		Entry("that ends before its image does", func() []byte { return pngOf(100, 100)[:60] }, "whole"),
		Entry("of another kind", func() []byte {
			return written(func(b *bytes.Buffer) error { return gif.Encode(b, picture(2, 2), nil) })
		}, "must be a PNG or a JPEG"),
	)

	It("waits for the one that is decoded, and not longer than its request", func() {
		release := letterhead.HoldTurn()
		ctx, stop := context.WithCancel(context.Background())
		late, patient := make(chan error, 1), make(chan error, 1)
		ask := func(ctx context.Context, answer chan error) {
			_, err := letterhead.Read(ctx, letterhead.Content{}, pngOf(10, 10))
			answer <- err
		}
		go ask(ctx, late)
		go ask(context.Background(), patient)
		stop()
		Eventually(late, time.Minute).Should(Receive(MatchError(context.Canceled)))
		Expect(patient).NotTo(Receive())
		release()
		Eventually(patient, time.Minute).Should(Receive(Succeed()))
	})

	It("is not decoded for a request that has ended", func() {
		ctx, stop := context.WithCancel(context.Background())
		stop()
		_, err := letterhead.Read(ctx, letterhead.Content{}, pngOf(10, 10))
		Expect(err).To(MatchError(context.Canceled))
	})

	It("that is refused is named beside what else is wrong, without its turn", func() {
		defer letterhead.HoldTurn()()
		_, err := letterhead.Read(context.Background(), letterhead.Content{Color: "red"}, progressive(100))
		var refused *fault.Fault
		Expect(errors.As(err, &refused)).To(BeTrue())
		Expect(refused.Violations).To(ConsistOf(HaveField("Field", "color"), HaveField("Field", "logo")))
	})
})
