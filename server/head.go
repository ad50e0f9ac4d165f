package server

import (
	"net/http"

	"tollkeeper/server/download"
)

// answerHead answers HEAD as GET is answered, wherever there is GET. The server of net/http
// leaves the body out. Downloads are not made for it.
func answerHead(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			get := r.WithContext(download.WithoutBody(r.Context()))
			get.Method = http.MethodGet
			r = get
		}
		next.ServeHTTP(w, r)
	})
}
