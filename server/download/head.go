package download

import "context"

type withoutBodyKey struct{}

// WithoutBody returns the context of a request whose answer has headers alone.
func WithoutBody(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutBodyKey{}, true)
}

// HasNoBody reports whether the answer to a request has headers alone, so that no file is made for it.
func HasNoBody(ctx context.Context) bool {
	without, _ := ctx.Value(withoutBodyKey{}).(bool)
	return without
}
