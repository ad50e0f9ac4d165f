package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/itchyny/gojq"
)

// jq is the name under which this program is a small jq, so that the README's commands run
// on a machine without one.
const jq = "jq"

// errNothing is the error of jq -e whose last value is null or false.
var errNothing = errors.New("the last value is null or false")

// runJQ takes a filter, and -c, -e or -r before it. Every value is printed on a line.
func runJQ(args []string, in io.Reader, out io.Writer) error {
	raw, must := args[0] == "-r", args[0] == "-e"
	query, err := gojq.Parse(args[len(args)-1])
	if err != nil {
		return err
	}
	values := json.NewDecoder(in)
	values.UseNumber()
	var last any
	for {
		var value any
		if err := values.Decode(&value); errors.Is(err, io.EOF) {
			if must && (last == nil || last == false) {
				return errNothing
			}
			return nil
		} else if err != nil {
			return err
		}
		found := query.Run(value)
		for result, more := found.Next(); more; result, more = found.Next() {
			if err, failed := result.(error); failed {
				return err
			}
			last = result
			text, isText := result.(string)
			if !isText || !raw {
				encoded, err := gojq.Marshal(result)
				if err != nil {
					return err
				}
				text = string(encoded)
			}
			if _, err := fmt.Fprintln(out, text); err != nil {
				return err
			}
		}
	}
}
