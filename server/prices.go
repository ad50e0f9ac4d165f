package server

import (
	"context"
	"encoding/json"
	"fmt"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// CreatePrice serves POST /v1/prices.
func (s *Server) CreatePrice(ctx context.Context, req gen.CreatePriceRequestObject) (gen.CreatePriceResponseObject, error) {
	wanted, err := priceFromWire(req.Body)
	if err != nil {
		return nil, err
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.Price, error) {
		price, err := catalog.CreatePrice(tx, wanted)
		if err != nil {
			return gen.Price{}, err
		}
		return loadPrice(tx, price)
	})
	if err != nil {
		return nil, err
	}
	return gen.CreatePrice201JSONResponse(created), nil
}

// ListPrices serves GET /v1/prices.
func (s *Server) ListPrices(ctx context.Context, req gen.ListPricesRequestObject) (gen.ListPricesResponseObject, error) {
	var page gen.PricePage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		prices, next, err := catalog.ListPrices(tx, pageFromWire(req.Params.Limit, req.Params.Cursor))
		if err != nil {
			return err
		}
		names, err := itemNames(tx, prices)
		page = gen.PricePage{Data: pricesToWire(prices, names), PaginationMetadata: pageToWire(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListPrices200JSONResponse(page), nil
}

// FetchPrice serves GET /v1/prices/{price_id}.
func (s *Server) FetchPrice(ctx context.Context, req gen.FetchPriceRequestObject) (gen.FetchPriceResponseObject, error) {
	found, err := s.fetchPrice(ctx, catalog.FindPrice, req.PriceID)
	if err != nil {
		return nil, err
	}
	return gen.FetchPrice200JSONResponse(found), nil
}

// FetchPriceByExternalID serves GET /v1/prices/external_price_id/{external_price_id}.
func (s *Server) FetchPriceByExternalID(ctx context.Context, req gen.FetchPriceByExternalIDRequestObject) (gen.FetchPriceByExternalIDResponseObject, error) {
	found, err := s.fetchPrice(ctx, catalog.FindPriceByExternalID, req.ExternalPriceID)
	if err != nil {
		return nil, err
	}
	return gen.FetchPriceByExternalID200JSONResponse(found), nil
}

func (s *Server) fetchPrice(ctx context.Context, find func(*store.Tx, string) (catalog.Price, error), identifier string) (found gen.Price, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		price, err := find(tx, identifier)
		if err != nil {
			return err
		}
		found, err = loadPrice(tx, price)
		return err
	})
	return found, err
}

// loadPrice shows a price with its item.
func loadPrice(tx *store.Tx, price catalog.Price) (gen.Price, error) {
	item, err := catalog.FindItem(tx, price.ItemID)
	if err != nil {
		return gen.Price{}, err
	}
	return priceToWire(price, item.Name), nil
}

// itemNames loads what priceToWire needs beside the prices.
func itemNames(tx *store.Tx, prices []catalog.Price) (map[string]string, error) {
	return catalog.Names(tx, toWire(prices, func(p catalog.Price) string { return p.ItemID }))
}

// priceFromWire reads a price of either family. Those are unions that hold the
// text they were sent as, and so does the configuration of the model.
func priceFromWire(union json.Marshaler) (catalog.NewPrice, error) {
	text, err := union.MarshalJSON()
	if err != nil {
		return catalog.NewPrice{}, fmt.Errorf("read a price: %w", err)
	}
	var in struct {
		gen.NewPriceBase
		gen.OptionalCurrency
		ModelType string `json:"model_type"`
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &in); err != nil {
		return catalog.NewPrice{}, fmt.Errorf("read a price: %w", err)
	}
	if err := json.Unmarshal(text, &members); err != nil {
		return catalog.NewPrice{}, fmt.Errorf("read a price: %w", err)
	}
	wanted := catalog.NewPrice{
		Name:            in.Name,
		ItemID:          in.ItemID,
		MetricID:        in.BillableMetricID,
		ExternalPriceID: in.ExternalPriceID,
		Cadence:         period.Cadence(in.Cadence),
		Cycle:           lengthFromWire(in.BillingCycleConfiguration),
		BilledInAdvance: in.BilledInAdvance,
		ModelType:       in.ModelType,
		Config:          members[in.ModelType+"_config"],
		Metadata:        metadataFromWire(in.Metadata),
	}
	if in.Currency != nil {
		wanted.Currency = money.Currency(*in.Currency)
	}
	if in.FixedPriceQuantity != nil {
		quantity, err := money.ParseNumber(in.FixedPriceQuantity.String())
		if err != nil {
			return catalog.NewPrice{}, fault.Bad("fixed_price_quantity", "%v", err)
		}
		wanted.Quantity = &quantity
	}
	return wanted, nil
}

func pricesToWire(prices []catalog.Price, itemNames map[string]string) []gen.Price {
	return toWire(prices, func(p catalog.Price) gen.Price { return priceToWire(p, itemNames[p.ItemID]) })
}

// priceToWire writes what all prices have, and beside it the model as it was sent.
func priceToWire(price catalog.Price, itemName string) gen.Price {
	base := gen.PriceBase{
		ID:                        price.ID,
		Name:                      price.Name,
		ExternalPriceID:           price.ExternalPriceID,
		CreatedAt:                 instantToWire(price.CreatedAt),
		Item:                      gen.ItemSlim{ID: price.ItemID, Name: itemName},
		PriceType:                 gen.PriceType(price.Type),
		BillingMode:               gen.BillingMode(price.BillingMode),
		Cadence:                   gen.Cadence(price.Cadence),
		BillingCycleConfiguration: lengthToWire(catalog.ShownLength(price.Length())),
		FixedPriceQuantity:        optionalNumberToWire(price.Quantity),
		Currency:                  gen.Currency(price.Currency),
		Metadata:                  metadataToWire(price.Metadata),
	}
	if price.MetricID != nil {
		base.BillableMetric = &gen.BillableMetricTiny{ID: *price.MetricID}
	}
	text, err := json.Marshal(base)
	if err != nil {
		panic(fmt.Sprintf("server: price %s cannot be written: %v", price.ID, err))
	}
	text = fmt.Appendf(text[:len(text)-1], `,"model_type":%q,"%s_config":%s}`, price.ModelType, price.ModelType, price.Config)
	var out gen.Price
	if err := out.UnmarshalJSON(text); err != nil {
		panic(fmt.Sprintf("server: price %s cannot be written: %v", price.ID, err))
	}
	return out
}
