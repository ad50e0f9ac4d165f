package paper_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/paper"
)

// What is drawn is written here from left to right, letter by letter: an editor that knows directions shows it otherwise.
var _ = DescribeTable("A line with Hebrew is drawn as it is read",
	func(line string, drawn ...string) {
		whole := ""
		for _, part := range drawn {
			whole += part
		}
		Expect(paper.Visual(line)).To(Equal(whole))
	},
	Entry("Hebrew alone", "אבג דה", "ה", "ד", " ", "ג", "ב", "א"),
	Entry("a number within", "אבג 12 דה", "ה", "ד", " ", "12", " ", "ג", "ב", "א"),
	Entry("a number at the end", "אב 12", "12", " ", "ב", "א"),
	Entry("Latin first, a number within Hebrew", "Acme אב 12 גד Inc", "Acme ", "ד", "ג", " ", "12", " ", "ב", "א", " Inc"),
	Entry("Latin first, a number after Hebrew", "Acme אב 12 Inc", "Acme ", "12", " ", "ב", "א", " Inc"),
	Entry("a number with signs", "אב 1,250.50-3", "1,250.50-3", " ", "ב", "א"),
	Entry("a percentage", "אב 50%", "50%", " ", "ב", "א"),
	Entry("an amount with its currency", "אב 1,250.50 USD", "USD", " ", "1,250.50", " ", "ב", "א"),
	Entry("brackets around Latin", "אב (Acme)", "(", "Acme", ")", " ", "ב", "א"),
	Entry("brackets around Hebrew", "Acme (אב)", "Acme ", "(", "ב", "א", ")"),
	Entry("brackets within Hebrew", "אב (גד) הו", "ו", "ה", " ", "(", "ד", "ג", ")", " ", "ב", "א"),
	Entry("brackets around Hebrew within Latin, before a number", "Acme (אב) 12", "Acme ", "(", "ב", "א", ")", " ", "12"),
	Entry("brackets around Latin within Hebrew, before Latin", "אבג (a) b", "b", " ", "(", "a", ")", " ", "ג", "ב", "א"),
	Entry("a bracket without its pair", "Acme (אב 12", "Acme ", "(", "12", " ", "ב", "א"),
	Entry("brackets within brackets", "Acme ([אב] 1)", "Acme ", "([", "ב", "א", "]", " ", "1", ")"),
	Entry("a mark on a letter", "אָב", "ב", "א", "\u05b8"),
	Entry("Latin alone", "Acme 12", "Acme 12"),
)
