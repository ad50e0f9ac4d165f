package contract

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/gen"
	"tollkeeper/store/fault"
	"tollkeeper/store/tempfile"
)

// mostViolations bounds how many violations an answer lists.
const mostViolations = 100

// problemTypes precedes the name of every class of failure.
const problemTypes = "https://docs.withorb.com/reference/error-responses#"

// Class is a kind of failure (semantics 14.1, gaps G). Clients distinguish classes by type and
// status together.
type Class struct {
	name   string
	Status int
	title  string
}

// Classes of failures.
var (
	invalid     = Class{"400-request-validation-errors", http.StatusBadRequest, "Validation error"}
	taken       = Class{"400-duplicate-resource-creation", http.StatusBadRequest, "A resource with this identifier already exists."}
	refused     = Class{"400-constraint-violation", http.StatusBadRequest, "The request is not allowed in the present state."}
	UnknownKey  = Class{"401-authentication-error", http.StatusUnauthorized, "Authentication failure"}
	forbidden   = Class{"403-forbidden", http.StatusForbidden, "The API key has no right to this."}
	missing     = Class{"404-resource-not-found", http.StatusNotFound, "A specified resource was not found."}
	noURL       = Class{"404-url-not-found", http.StatusNotFound, "The specified URL was not found."}
	unavailable = Class{"404-feature-not-available", http.StatusBadRequest, "The feature is not available."}
	clash       = Class{"409-resource-conflict", http.StatusConflict, "The request conflicts with another one."}
	tooLarge    = Class{"413-request-too-large", http.StatusRequestEntityTooLarge, "The request is too large."}
	tooOften    = Class{"429-too-many-requests", http.StatusTooManyRequests, "Too many requests."}
	Internal    = Class{"500-internal-server-error", http.StatusInternalServerError, "Internal server error"}
	Overloaded  = Class{"500-internal-server-error", http.StatusServiceUnavailable, "The server is overloaded."}
	NoDatabase  = Class{"500-internal-server-error", http.StatusServiceUnavailable, "The database is not available."}
	NoTempFiles = Class{"500-internal-server-error", http.StatusServiceUnavailable, "There is no room for temporary files."}
)

// Failures that only HTTP knows.
var (
	ErrNoKey      = errors.New("the request bears no API key")
	ErrNoURL      = errors.New("no such path")
	ErrTooLarge   = errors.New("the body is too large")
	ErrOverloaded = errors.New("the queue is full")
)

// Forbidden is the failure of a request whose key is good, but has no right to it. Its text
// says which right is missing. The hosted service has no keys with fewer rights, so it has no
// answer for them; 403 is what every HTTP client expects.
type Forbidden string

func (e Forbidden) Error() string { return string(e) }

// TooOften is the failure of a request that exceeds a rate limit.
type TooOften struct {
	Wait time.Duration // until one is allowed again
}

func (e TooOften) Error() string { return "too many requests" }

// RetryAfter is how many seconds the client waits, as its header has it: at least one.
func (e TooOften) RetryAfter() string {
	return strconv.Itoa(max(1, int(math.Ceil(e.Wait.Seconds()))))
}

var classes = map[fault.Kind]Class{
	fault.KindInvalid:     invalid,
	fault.KindRefused:     refused,
	fault.KindTaken:       taken,
	fault.KindMissing:     missing,
	fault.KindClash:       clash,
	fault.KindUnavailable: unavailable,
	fault.KindTooLarge:    tooLarge,
}

// Problem returns the answer to a request that failed, and its class. The detail of a fault is
// for the client; any other error is an internal error without details.
func Problem(err error, requestID string) (gen.Problem, Class) {
	class, detail := classOf(err)
	problem := gen.Problem{
		Type:             problemTypes + class.name,
		Status:           class.Status,
		Title:            class.title,
		Detail:           detail,
		ValidationErrors: []string{},
		RequestID:        requestID,
	}
	var f *fault.Fault
	if errors.As(err, &f) && f.Kind == fault.KindInvalid {
		for _, v := range f.Violations[:min(len(f.Violations), mostViolations)] {
			problem.ValidationErrors = append(problem.ValidationErrors, v.String())
		}
		if len(f.Violations) > mostViolations {
			problem.ValidationErrors = append(problem.ValidationErrors, fmt.Sprintf("body: has more mistakes; these are %d of them", mostViolations))
		}
	}
	return problem, class
}

func classOf(err error) (class Class, detail string) {
	var f *fault.Fault
	var echoed *echo.HTTPError
	var denied Forbidden
	var often TooOften
	var room *tempfile.Refusal
	switch {
	case errors.As(err, &f):
		return classes[f.Kind], f.Detail
	case errors.As(err, &room) && room.Reason == tempfile.TooLarge:
		return tooLarge, fmt.Sprintf("The body needs more than the %d MB that this server has for temporary files of one account; send it in parts", room.Bound>>20)
	case errors.Is(err, ErrNoKey):
		return UnknownKey, "The request needs the header Authorization: Bearer with a valid API key"
	case errors.As(err, &denied):
		return forbidden, string(denied)
	case errors.As(err, &often):
		return tooOften, "More requests came than the rate limit allows; send the same request again after Retry-After seconds"
	case errors.Is(err, ErrNoURL):
		return noURL, "Nothing is known by this method and path"
	case errors.Is(err, ErrTooLarge):
		return tooLarge, "The body is larger than this operation takes"
	case errors.As(err, &echoed):
		return echoClass(echoed.Code)
	}
	switch OutageOf(err) {
	case Busy:
		return Overloaded, "The server is busy; send the same request again"
	case Away:
		return NoDatabase, "The server cannot use its database now; send the same request again"
	case NoRoom:
		return NoTempFiles, "The server has no room for temporary files now; send the same request again, or parts of at most 10,000 events and 4 MiB, which need none"
	case NoOutage:
	}
	return Internal, "The server failed; its log tells more under the request id"
}

// echoClass returns the class of errors that Echo and the generated code find.
func echoClass(status int) (Class, string) {
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return noURL, "Nothing is known by this method and path"
	case http.StatusRequestEntityTooLarge:
		return tooLarge, "The body is larger than this operation takes"
	case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		return invalid, "The request does not fit what this operation takes"
	}
	return Internal, "The server failed; its log tells more under the request id"
}
