package billing

// CheckStart is called directly: the most that it accepts takes seconds to make.
var CheckStart = checkStart
