package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestRelease(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Releases")
}

var _ = It("A platform that nothing is made for is refused, and what is there stays", func() {
	out := GinkgoT().TempDir()
	Expect(run("", out, "linux/amd46")).To(MatchError("-platform: nothing is made for linux/amd46"))
	Expect(out).To(BeADirectory())
})

var _ = Describe("A version that is to be released", func() {
	// The files of the repository, each with its version replaced by 9.8.7.
	var root string
	replace := func(name, old, text string) {
		GinkgoHelper()
		path := filepath.Join(root, name)
		before, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		after := regexp.MustCompile(old).ReplaceAll(before, []byte(text))
		Expect(after).NotTo(Equal(before), "%s has nothing like %s", name, old)
		Expect(os.WriteFile(path, after, 0o600)).To(Succeed())
	}
	record := func(version string) {
		GinkgoHelper()
		blob, err := output("git", "hash-object", filepath.Join(root, "openapi.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(os.WriteFile(filepath.Join(root, "scripts/released"), []byte("9.8.6 0123\n"+version+" "+blob+"\n"), 0o600)).To(Succeed())
	}
	BeforeEach(func() {
		root = GinkgoT().TempDir()
		for _, name := range []string{"openapi.yaml", "deploy/helm/Chart.yaml", "CHANGELOG.md", "README.md"} {
			text, err := os.ReadFile(filepath.Join("../..", name))
			Expect(err).NotTo(HaveOccurred())
			Expect(os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700)).To(Succeed())
			Expect(os.WriteFile(filepath.Join(root, name), text, 0o600)).To(Succeed())
		}
		Expect(os.Mkdir(filepath.Join(root, "scripts"), 0o700)).To(Succeed())
		replace("openapi.yaml", `(?m)^  version: "[^"]*"$`, `  version: "9.8.7"`)
		replace("deploy/helm/Chart.yaml", `(?m)^version: .*$`, `version: 9.8.7`)
		replace("deploy/helm/Chart.yaml", `(?m)^appVersion: .*$`, `appVersion: "9.8.7"`)
		replace("CHANGELOG.md", `(?m)^## \[Unreleased\]$`, "## [Unreleased]\n\n## [9.8.7] - 2027-01-31")
		replace("README.md", `tollkeeper_\d[^_\s]*_`, "tollkeeper_9.8.7_")
		record("9.8.7")
	})

	It("is named by the contract, the chart, the changelog, the README and the list of releases", func() {
		Expect(agree(root, "9.8.7")).To(Succeed())
	})

	It("is refused with every place that names another one", func() {
		err := agree(root, "9.9.0")
		for _, place := range []string{
			"openapi.yaml: info.version must be 9.9.0; it is 9.8.7", "Chart.yaml: version and appVersion must be 9.9.0; they are 9.8.7 and 9.8.7",
			"CHANGELOG.md: must have a section ## [9.9.0]", "README.md: archives must be named tollkeeper_9.9.0_", `scripts/released: the last line must be "9.9.0 `,
		} {
			Expect(err).To(MatchError(ContainSubstring(place)))
		}
	})

	DescribeTable("is refused where one place differs", func(name, old, text, says string) {
		replace(name, old, text)
		if name == "openapi.yaml" && says != "scripts/released" {
			record("9.8.7")
		}
		Expect(agree(root, "9.8.7")).To(MatchError(HavePrefix(says)))
	},
		Entry("the contract", "openapi.yaml", `"9\.8\.7"`, `"9.8.6"`, "openapi.yaml: info.version must be 9.8.7; it is 9.8.6"),
		Entry("the chart", "deploy/helm/Chart.yaml", `appVersion: "9\.8\.7"`, `appVersion: "9.8.6"`, "deploy/helm/Chart.yaml: version and appVersion must be 9.8.7; they are 9.8.7 and 9.8.6"),
		Entry("a section without a date", "CHANGELOG.md", `9\.8\.7\] - .*`, "9.8.7]", "CHANGELOG.md: "),
		Entry("an archive of another version", "README.md", `tollkeeper_9\.8\.7_linux_amd64_image`, "tollkeeper_9.8.6_linux_amd64_image", "README.md: "),
		Entry("a contract that changed after it was recorded", "openapi.yaml", `title: Tollkeeper`, `title: Other`, "scripts/released"),
	)

	DescribeTable("is a number of three parts", func(version string) {
		Expect(agree(root, version)).To(MatchError(HavePrefix("-version: must be a version such as 1.2.3")))
	}, Entry(nil, "v9.8.7"), Entry(nil, "9.8"), Entry(nil, "9.08.7"), Entry(nil, "latest"))
})
