package letterhead

// HoldTurn decodes no logo until the function that it returns is called.
func HoldTurn() (release func()) {
	logoTurn <- struct{}{}
	return func() { <-logoTurn }
}
