package wire

import (
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/gen"
)

// NewAPIKey reads what a key is made of.
func NewAPIKey(in gen.APIKeyCreate) account.NewKey {
	k := account.NewKey{Name: in.Name, Networks: in.Networks}
	if in.Scopes != nil {
		k.Scopes = MapSlice(in.Scopes, func(text string) account.Scope { return account.Scope(text) })
	}
	if in.ExpiresInSeconds != nil {
		k.Lifetime = new(time.Duration(*in.ExpiresInSeconds) * time.Second)
	}
	return k
}

// APIKey returns a key without its text.
func APIKey(k account.Key) gen.APIKey {
	shown := gen.APIKey{
		ID: k.ID, Name: k.Name, Hint: k.Hint, Replaces: k.Replaces, CreatedBy: k.CreatedBy, Networks: []string{},
		Scopes:    MapSlice(k.Scopes(), func(s account.Scope) gen.APIKeyScope { return string(s) }),
		CreatedAt: Instant(k.CreatedAt), ExpiresAt: OptionalInstant(k.ExpiresAt),
		RevokedAt: OptionalInstant(k.RevokedAt), LastUsedAt: OptionalInstant(k.LastUsedAt),
	}
	for _, network := range k.Networks() {
		shown.Networks = append(shown.Networks, network.String())
	}
	return shown
}

// APIKeyWithText returns a key that was just made, with its text.
func APIKeyWithText(k account.Key, text string) gen.APIKeyWithText {
	w := APIKey(k)
	return gen.APIKeyWithText{
		ID: w.ID, Name: w.Name, Hint: w.Hint, Replaces: w.Replaces, CreatedBy: w.CreatedBy, Networks: w.Networks, Scopes: w.Scopes,
		CreatedAt: w.CreatedAt, ExpiresAt: w.ExpiresAt, RevokedAt: w.RevokedAt, LastUsedAt: w.LastUsedAt, APIKey: text,
	}
}
