package fault

import (
	"fmt"
	"runtime/debug"
)

// Panic is a panic that was turned into an error. It is no refusal of a request: an
// invariant does not hold, or there is a bug.
type Panic struct {
	Value any    // that the code panicked with
	Stack []byte // of the goroutine, from the panic up
}

// Error returns the value without the stack, which belongs into the log once.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Recovered runs do and returns its error, or a *[Panic] if it panics.
func Recovered(do func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Panic{Value: value, Stack: debug.Stack()}
		}
	}()
	return do()
}
