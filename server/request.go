package server

import (
	"context"

	"tollkeeper/domain/account"
)

// request is what the way through the middleware learns about a request. One is
// in the context of each, and every step fills in its part.
type request struct {
	id        string          // X-Request-Id
	operation *operation      // of the contract; nil for paths outside it
	account   account.Account // whose key it is
	body      []byte          // as sent, decompressed; nil when the handler reads it
	sent      map[string]bool // top-level members of the body
	key       string          // Idempotency-Key, "" without one or where it has no meaning
	print     []byte          // fingerprint of what is asked; set with key
	replayed  bool            // the answer is one remembered
	pending   bool            // a change of a subscription is to wait
	bare      bool            // and not to say what else it brings about
}

type requestKey struct{}

func withRequest(ctx context.Context, r *request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// requestOf returns what is known about the context's request; never nil.
func requestOf(ctx context.Context) *request {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r
	}
	return &request{}
}

// sent reports whether the body has that top-level member, be it null. Updates
// ask it: a member left out stays as it is, null clears it.
func sent(ctx context.Context, member string) bool {
	return requestOf(ctx).sent[member]
}
