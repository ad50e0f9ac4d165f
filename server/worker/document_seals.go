package worker

import (
	"context"
	"time"

	"tollkeeper/domain/seal"
	"tollkeeper/server/background"
	"tollkeeper/store"
)

// sealEvery is how often final documents are sealed. Until then the deletion of one may go
// unnoticed.
const sealEvery = 2 * time.Second

// SealDocuments seals final documents soon after they became final, until ctx ends. Several
// servers may run it at once.
func (w *Worker) SealDocuments(ctx context.Context) {
	ctx = store.For(ctx, store.Background)
	ticker := time.NewTicker(sealEvery)
	defer ticker.Stop()
	for {
		more := false
		w.Runner.Run(ctx, background.Unit{Work: "seal documents"}, func() (err error) {
			more, err = seal.Documents(ctx, w.Store)
			return err
		})
		if more && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
