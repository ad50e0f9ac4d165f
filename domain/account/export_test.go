package account

// Expiry is known to specs.
var Expiry = expiry

// Forget makes every key one that was never seen.
func Forget() { clear(sightings.logins) }
