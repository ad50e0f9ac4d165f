package contract

// What specs call directly.
var (
	MessageFor = messageFor
	Positions  = positions
)
