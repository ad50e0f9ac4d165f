package main

import (
	"encoding/json"
	"regexp"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestBench(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "scripts/bench")
}

var _ = DescribeTable("A copied row stays JSON, with ids of its own",
	func(row, copied string) {
		text := regexp.MustCompile(copiedID).ReplaceAllString(row, `"${1}_00000042${2}"`)
		Expect(json.Valid([]byte(text))).To(BeTrue(), text)
		Expect(text).To(Equal(copied))
	},
	Entry("an id", `{"id": "entry_ABCDEFGHijklmnopqr01"}`, `{"id": "entry_00000042ijklmnopqr01"}`),
	Entry("an id in a list", `{"lines": ["line_ABCDEFGHijklmnopqr01"]}`, `{"lines": ["line_00000042ijklmnopqr01"]}`),
	Entry("an id of a line, which ends in base64", `{"id": "line_ABCDEFGHi-kl_nopqr01"}`, `{"id": "line_00000042i-kl_nopqr01"}`),
	Entry("the name of a column without a value",
		`{"line_id": null, "block_id": "block_ABCDEFGHijklmnopqr01"}`, `{"line_id": null, "block_id": "block_00000042ijklmnopqr01"}`),
	Entry("an id of another kind, which the copies share", `{"plan_id": "plan_ABCDEFGHijklmnopqr01"}`, `{"plan_id": "plan_ABCDEFGHijklmnopqr01"}`),
)
