package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
)

// certify writes a certificate of this machine with that number, and its key, as of an instant.
func certify(dir string, serial int64, changed time.Time) (certFile, keyFile string, pool *x509.CertPool) {
	GinkgoHelper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Expect(err).NotTo(HaveOccurred())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	Expect(err).NotTo(HaveOccurred())
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	Expect(err).NotTo(HaveOccurred())
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		Expect(os.WriteFile(name, pem.EncodeToMemory(block), 0o600)).To(Succeed())
		Expect(os.Chtimes(name, changed, changed)).To(Succeed())
	}
	parsed, err := x509.ParseCertificate(der)
	Expect(err).NotTo(HaveOccurred())
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	return certFile, keyFile, pool
}

var _ = Describe("Serving over TLS", func() {
	It("shows the certificate of the files, and a new one without a restart", func() {
		files, data := GinkgoT().TempDir(), GinkgoT().TempDir()
		began := time.Now()
		cert, key, pool := certify(files, 1, began)
		set("TOLLKEEPER_DATABASE_URL", "")
		set("TOLLKEEPER_DATA_DIR", data)
		set("TOLLKEEPER_ADDR", "127.0.0.1:0")
		set("TOLLKEEPER_API_KEY", "")
		set("TOLLKEEPER_TLS_CERT", cert)
		set("TOLLKEEPER_TLS_KEY", key)
		ctx, stop := context.WithCancel(context.Background())
		out, ended := gbytes.NewBuffer(), make(chan error, 1)
		go func() { ended <- run(ctx, []string{"serve"}, out) }()
		DeferCleanup(func() {
			stop()
			Eventually(ended).WithTimeout(startWithin).Should(Receive(Succeed()))
		})
		Eventually(out).WithTimeout(startWithin).Should(gbytes.Say(`https://\S+/v1/ping`))
		url := regexp.MustCompile(`https://[^/\s]+`).FindString(string(out.Contents())) + "/healthz"
		shown := func(pool *x509.CertPool) (serial int64, protocol string, err error) {
			client := &http.Client{Transport: &http.Transport{
				TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true, ForceAttemptHTTP2: true,
			}}
			response, err := client.Get(url)
			if err != nil {
				return 0, "", err
			}
			return response.TLS.PeerCertificates[0].SerialNumber.Int64(), response.Proto, response.Body.Close()
		}
		serial, protocol, err := shown(pool)
		Expect(err).NotTo(HaveOccurred())
		Expect(serial).To(BeEquivalentTo(1))
		Expect(protocol).To(Equal("HTTP/2.0"))

		By("putting a file there that is no certificate")
		Expect(os.WriteFile(cert, []byte("half"), 0o600)).To(Succeed())
		Expect(os.Chtimes(cert, began.Add(time.Minute), began.Add(time.Minute))).To(Succeed())
		serial, _, err = shown(pool)
		Expect(err).NotTo(HaveOccurred())
		Expect(serial).To(BeEquivalentTo(1))

		By("renewing it")
		_, _, renewed := certify(files, 2, began.Add(2*time.Minute))
		serial, _, err = shown(renewed)
		Expect(err).NotTo(HaveOccurred())
		Expect(serial).To(BeEquivalentTo(2))
	})

	DescribeTable("refuses files that do not make a certificate",
		func(cert, key, words string) {
			_, err := environment{TLSCert: cert, TLSKey: key}.tlsConfig(nil)
			Expect(err).To(MatchError(ContainSubstring(words)))
		},
		Entry("one alone", "cert.pem", "", "must be set together"),
		Entry("the other alone", "", "key.pem", "must be set together"),
		Entry("none there", "/nowhere/cert.pem", "/nowhere/key.pem", "TOLLKEEPER_TLS_CERT, TOLLKEEPER_TLS_KEY: "),
	)
})
