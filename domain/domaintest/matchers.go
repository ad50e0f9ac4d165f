package domaintest

import (
	"errors"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"tollkeeper/store/fault"
)

// BeInvalid matches the fault of a request that is wrong by itself, at exactly those fields, in
// their order.
func BeInvalid(fields ...string) types.GomegaMatcher {
	return And(
		be(fault.KindInvalid),
		WithTransform(func(err error) (wrong []string) {
			var f *fault.Fault
			if errors.As(err, &f) {
				for _, v := range f.Violations {
					wrong = append(wrong, v.Field)
				}
			}
			return wrong
		}, Equal(fields)))
}

// BeRefused matches the fault of what the present state forbids, in those words.
func BeRefused(words string) types.GomegaMatcher {
	return And(be(fault.KindRefused), MatchError(ContainSubstring(words)))
}

// BeTaken matches the fault of a second thing where there can be one.
func BeTaken() types.GomegaMatcher { return be(fault.KindTaken) }

// BeMissing matches the fault of what is not there.
func BeMissing() types.GomegaMatcher { return be(fault.KindMissing) }

func be(kind fault.Kind) types.GomegaMatcher {
	return WithTransform(func(err error) bool { return fault.Is(err, kind) }, BeTrue())
}
