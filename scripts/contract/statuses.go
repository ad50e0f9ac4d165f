package main

import (
	"net/http"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// statuses finds statuses that an operation can answer and does not list. Any operation may
// meet a malformed query (400), a key that is unknown (401) or has no right to it (403), a rate
// limit (429), a fault (500) and an overload (503); one that names something may not find it (404); one that changes something may meet
// another change of it (409); one with a body may get too large a one (413).
func statuses(document *openapi3.T) (found []string) {
	for _, operation := range operations(document) {
		expected := []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}
		if operation.parameters.GetByInAndName("path", pathParameter(operation.parameters)) != nil {
			expected = append(expected, http.StatusNotFound)
		}
		if operation.at[:4] != "GET " {
			expected = append(expected, http.StatusConflict)
		}
		if operation.RequestBody != nil {
			expected = append(expected, http.StatusRequestEntityTooLarge)
		}
		for _, status := range expected {
			if response := operation.Responses.Status(status); response == nil || len(response.Value.Content) == 0 {
				found = append(found, operation.at+": needs a response "+strconv.Itoa(status)+" with its schema")
			}
		}
	}
	return found
}

// pathParameter is the name of a parameter in the path, "" where there is none.
func pathParameter(parameters openapi3.Parameters) string {
	for _, p := range parameters {
		if p.Value.In == openapi3.ParameterInPath {
			return p.Value.Name
		}
	}
	return ""
}
