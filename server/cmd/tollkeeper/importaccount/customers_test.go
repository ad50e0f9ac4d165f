package importaccount_test

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/gen"
	"tollkeeper/server/cmd/tollkeeper/importaccount"
)

var _ = Describe("The members of a customer", func() {
	It("are each moved, or told of, or worked out by the target", func() {
		spec, err := gen.GetSpec()
		Expect(err).NotTo(HaveOccurred())
		members := spec.Components.Schemas["Customer"].Value.Properties
		Expect(members).NotTo(BeEmpty())
		for name := range members {
			Expect(slices.Contains(importaccount.CustomerMembers, name)).NotTo(Equal(slices.Contains(importaccount.CustomerOthers, name)), name)
		}
		for _, name := range slices.Concat(importaccount.CustomerMembers, importaccount.CustomerOthers) {
			Expect(members).To(HaveKey(name))
		}
		create := spec.Paths.Value("/v1/customers").Post.RequestBody.Value.Content["application/json"].Schema.Value.Properties
		for _, name := range importaccount.CustomerMembers {
			Expect(create).To(HaveKey(name))
		}
	})
})
