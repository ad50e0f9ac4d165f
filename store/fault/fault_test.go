package fault_test

import (
	"errors"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store/fault"
)

func TestFault(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "fault")
}

func places(err error) (places []string) {
	var f *fault.Fault
	Expect(errors.As(err, &f)).To(BeTrue())
	for _, v := range f.Violations {
		places = append(places, v.String())
	}
	return places
}

var _ = Describe("A fault", func() {
	DescribeTable("learns where the part that is wrong stands",
		func(prefix, field, place string) {
			Expect(places(fault.In(prefix, fault.Bad(field, "is wrong")))).To(ConsistOf(place + ": is wrong"))
		},
		Entry("a member", "prices[0].price", "name", "prices[0].price.name"),
		Entry("an element", "tiers", "[1].unit_amount", "tiers[1].unit_amount"),
		Entry("the part itself", "unit_config", "", "unit_config"),
		Entry("the whole body", "", "name", "name"),
	)

	It("keeps what is no invalid request as it is", func() {
		missing := fault.Missing("Plan", "nope")
		Expect(fault.In("plan", missing)).To(BeIdenticalTo(missing))
		Expect(fault.In("plan", nil)).To(Succeed())
	})

	It("tells once what reads the same under other names", func() {
		err := fault.Join(fault.Bad("new.a", "is wrong"), fault.Bad("new.b", "is wrong"), fault.Bad("old.a", "is wrong"))
		moved := fault.Moved(err, func(field string) string { return "x." + field[4:] })
		Expect(places(moved)).To(Equal([]string{"x.a: is wrong", "x.b: is wrong"}))
		Expect(fault.Moved(nil, nil)).To(Succeed())
	})

	It("tells of what is foreign when nothing is wrong by itself", func() {
		foreign := fault.In("edit[0]", fault.NotPartOf("price_id", "must be a price of the plan"))
		Expect(fault.Is(foreign, fault.KindRefused)).To(BeTrue())
		Expect(foreign).To(MatchError("edit[0].price_id: must be a price of the plan"))
		Expect(fault.Join(nil, foreign, fault.NotPartOf("b", "is foreign too"))).To(BeIdenticalTo(foreign))
		Expect(places(fault.Join(foreign, fault.Bad("a", "is wrong")))).To(Equal([]string{"a: is wrong"}))
		missing := fault.Missing("Plan", "nope")
		Expect(fault.Join(foreign, missing)).To(BeIdenticalTo(missing))
	})

	It("joins violations in their order", func() {
		err := fault.Join(fault.Bad("a", "is wrong"), nil, fault.Bad("b", "is wrong too"))
		Expect(places(err)).To(Equal([]string{"a: is wrong", "b: is wrong too"}))
		Expect(err).To(MatchError("a: is wrong"))
	})

	It("joins nothing to nothing", func() {
		Expect(fault.Join(nil, nil)).To(Succeed())
	})

	It("lets a failure that is none of the client's through alone", func() {
		outage := errors.New("the disk is full")
		Expect(fault.Join(fault.Bad("a", "is wrong"), outage)).To(BeIdenticalTo(outage))
	})

	It("names the missing thing and never the reason of a library", func() {
		err := fault.Missing("Customer", "cus_1")
		Expect(err).To(MatchError("Could not find a resource of type Customer with identifier: cus_1"))
		Expect(fault.Is(err, fault.KindMissing)).To(BeTrue())
		Expect(fault.Is(err, fault.KindRefused)).To(BeFalse())
	})
})

var _ = Describe("What was being done", func() {
	doing := func(err error) error {
		fault.Doing(&err, "issue invoice %s", "inv_1")
		return err
	}

	It("is said in an error that no client can act on, which is still found in it", func() {
		outage := errors.New("connection reset")
		Expect(doing(outage)).To(MatchError("issue invoice inv_1: connection reset"))
		Expect(doing(outage)).To(MatchError(outage))
	})

	It("leaves a fault, also one within another error, and success as they are", func() {
		refused := fault.Refused("only a draft can be issued")
		Expect(doing(refused)).To(BeIdenticalTo(refused))
		within := errors.Join(refused)
		Expect(doing(within)).To(BeIdenticalTo(within))
		Expect(doing(nil)).To(Succeed())
	})
})
