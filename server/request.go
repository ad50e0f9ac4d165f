package server

import (
	"context"
	"net/http"
	"strconv"

	"tollkeeper/domain/account"
	"tollkeeper/gen"
	"tollkeeper/server/contract"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// request is what the middleware knows about a request. It is in the request's context, and
// each step of the middleware fills in its part.
type request struct {
	id                      string              // X-Request-Id
	operation               *contract.Operation // of the contract; nil for paths outside it
	account                 account.Account     // whose key it is
	apiKey                  account.Key         // that it came with
	body                    []byte              // as sent, decompressed; nil when the handler reads it
	sent                    map[string]bool     // top-level members of the body
	key                     string              // Idempotency-Key, "" without one or where it has no meaning
	print                   []byte              // fingerprint of the request; set with key
	replayed                bool                // the answer is a remembered one
	pending                 bool                // a change of a subscription waits as a pending change
	withoutChangedResources bool                // the answer leaves out changed resources
	problem                 string              // what a failed answer says; "" otherwise
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

// editMetadata merges what an update sends into what there is: left out changes
// nothing, null clears all (semantics 14.6).
func editMetadata(ctx context.Context, metadata *store.Metadata, in *gen.MetadataInput) (err error) {
	if sent(ctx, "metadata") {
		*metadata, err = metadata.Merge(wire.ReadMetadata(in))
	}
	return err
}

// readChangeOptions reads whether a change of a subscription is to be pending, and whether the
// response leaves out changed_resources. A value that is no boolean is refused later, by the
// contract.
func readChangeOptions(r *http.Request) (pending, bare bool) {
	if asked := r.Header.Get("Create-Pending-Subscription-Change"); asked != "" {
		pending, _ = strconv.ParseBool(asked)
	}
	if r.URL.RawQuery != "" {
		shown, err := strconv.ParseBool(r.URL.Query().Get("include_changed_resources"))
		bare = err == nil && !shown
	}
	return pending, bare
}
