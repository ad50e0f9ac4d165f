package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
)

// ReadItemConnection reads the name of an item in an external system.
func ReadItemConnection(c gen.ItemExternalConnection) catalog.Connection {
	return catalog.Connection{System: string(c.ExternalConnectionName), ID: c.ExternalEntityID}
}

// Item returns an item with its external connections.
func Item(item catalog.Item) gen.Item {
	return gen.Item{
		ID:         item.ID,
		Name:       item.Name,
		CreatedAt:  Instant(item.CreatedAt),
		ArchivedAt: OptionalInstant(item.ArchivedAt),
		Metadata:   Metadata(item.Metadata),
		ExternalConnections: MapSlice(item.Connections, func(c catalog.Connection) gen.ItemExternalConnection {
			return gen.ItemExternalConnection{ExternalConnectionName: gen.ItemConnectionName(c.System), ExternalEntityID: c.ID}
		}),
	}
}
