package store

import (
	"reflect"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// scopeSetting is where a transaction of an account keeps that account's id.
const scopeSetting = "tollkeeper:account"

// accountField is the field of a record that names its account.
const accountField = "AccountID"

// registerScope makes every statement on a record that has an account one on
// the transaction's account only.
func registerScope(db *gorm.DB) error {
	for _, register := range []func(string, func(*gorm.DB)) error{
		db.Callback().Query().Before("gorm:query").Register,
		db.Callback().Update().Before("gorm:update").Register,
		db.Callback().Delete().Before("gorm:delete").Register,
		db.Callback().Row().Before("gorm:row").Register,
	} {
		if err := register("tollkeeper:scope", narrow); err != nil {
			return err
		}
	}
	return db.Callback().Create().Before("gorm:create").Register("tollkeeper:scope", own)
}

// narrow adds the account's condition.
func narrow(db *gorm.DB) {
	account, column := scopeOf(db)
	if column == "" {
		return
	}
	db.Statement.AddClause(clause.Where{Exprs: []clause.Expression{clause.Eq{
		Column: clause.Column{Table: clause.CurrentTable, Name: column}, Value: account,
	}}})
}

// own gives new rows the account.
func own(db *gorm.DB) {
	account, column := scopeOf(db)
	if column == "" {
		return
	}
	switch db.Statement.ReflectValue.Kind() {
	case reflect.Slice, reflect.Array, reflect.Struct:
		db.Statement.SetColumn(accountField, account, true)
	default:
	}
}

func scopeOf(db *gorm.DB) (account any, column string) {
	account, ok := db.Get(scopeSetting)
	if !ok || db.Statement.Schema == nil {
		return nil, ""
	}
	field := db.Statement.Schema.LookUpField(accountField)
	if field == nil {
		return nil, ""
	}
	return account, field.DBName
}
