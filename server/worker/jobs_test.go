package worker_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/fault"
	"tollkeeper/server/worker"
	"tollkeeper/store/storetest"
)

var _ = Describe("Due work", func() {
	It("that fails is no refusal of the request that brought it about", func() {
		st := storetest.Shared()
		w := worker.New(worker.Config{Store: st, Workers: 1})
		err := w.DoFailing(storetest.Account(st, "live"), fault.Refused("A metric took too long"))
		Expect(fault.Is(err, fault.KindRefused)).To(BeFalse())
		Expect(err).To(MatchError(And(HavePrefix("fail due at "), HaveSuffix(": A metric took too long"))))
	})
})
