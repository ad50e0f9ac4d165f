package server_test

import (
	"context"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/store"
)

var _ = Describe("the size of an ingest request", func() {
	It("has no bound of its own", func() {
		start().post("/v1/ingest", `{"events":[],"debug":"`+strings.Repeat("x", 11<<20)+`"}`).expect(http.StatusOK)
	})

	It("has the bound that the account sets, unpacked", func() {
		api := start()
		Expect(api.store.AsOwner(context.Background(), func(db *gorm.DB) error {
			return db.Exec("UPDATE accounts SET largest_ingest_bytes = 1000 WHERE id = ?", store.AccountID(api.ctx)).Error
		})).To(Succeed())
		body := `{"events":[],"debug":"` + strings.Repeat("x", 1000) + `"}`
		api.post("/v1/ingest", body).refuse(http.StatusRequestEntityTooLarge, "413-request-too-large")
		api.post("/v1/ingest", zipped(body), header{"Content-Encoding", "gzip"}).refuse(http.StatusRequestEntityTooLarge, "413-request-too-large")
		api.post("/v1/ingest", `{"events":[]}`).expect(http.StatusOK)
	})

	It("is refused with the list of failed events empty when the body is no JSON", func() {
		problem := start().post("/v1/ingest", `{"events":`).refuse(http.StatusBadRequest, "400-request-validation-errors")
		Expect(problem.list("validation_failed")).To(BeEmpty())
	})
})
