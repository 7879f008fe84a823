package zendesk

import (
	"strings"

	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

// Account is what of a help desk is not a record: whom API calls act as, and the
// closure of solved tickets.
type Account struct {
	CloseAfterHours   int64  `json:"close_after_hours"`
	CloseAuthorID     int64  `json:"close_author_id"`
	ID                string `json:"id"`
	PrincipalID       int64  `json:"principal_id"`
	SweepPhaseSeconds int64  `json:"sweep_phase_seconds"`
}

// accountID is the one row of its table.
const accountID = "account"

var accounts = twin.Resource[Account]{
	Kind: twin.Kind{Table: "zendesk.account", Object: "account"},
	Key:  func(a *Account) string { return a.ID },
}

func accountAPI() twin.API { return twin.API{Kind: accounts.Kind, Seed: seedAccount} }

func account(tx *twin.Tx) *Account {
	a, ok := accounts.Get(tx, accountID)
	if !ok {
		panic("zendesk: the world has no help desk")
	}
	return a
}

// closure is the rule by which solved tickets are closed.
func (a *Account) closure() seed.ZendeskClosure {
	return seed.ZendeskClosure{AfterHours: a.CloseAfterHours, SweepPhaseSeconds: a.SweepPhaseSeconds, AuthorID: a.CloseAuthorID}
}

// caller is the user whom the request acts as. Admit has let it in.
func caller(tx *twin.Tx) *User {
	u, err := whoever(tx)
	if err != nil {
		panic("zendesk: a caller who was not admitted")
	}
	return u
}

// whoever finds the user whom a request acts as: the principal, unless the
// credential says somebody else; for an admin, whom the header asks for.
func whoever(tx *twin.Tx) (*User, *twin.Error) {
	as, behalf := tx.Caller()
	a, ok := accounts.Get(tx, accountID)
	if !ok {
		return nil, errAuth() // a world from before there were help desks
	}
	u, ok := users.Get(tx, key(a.PrincipalID))
	if as != "" {
		u, ok = userByEmail(tx, as)
	}
	if !ok || !u.usable() {
		return nil, errAuth()
	}
	if behalf == "" {
		return u, nil
	}
	if u.Role != seed.RoleAdmin {
		return nil, errForbidden()
	}
	if u, ok = userByEmail(tx, behalf); !ok {
		u, ok = users.Get(tx, behalf)
	}
	if !ok || !u.usable() {
		return nil, errAuth()
	}
	return u, nil
}

// admit lets agents and admins in, and end users to ask who they are.
func admit(tx *twin.Tx) *twin.Error {
	u, err := whoever(tx)
	if err != nil {
		return err
	}
	if u.Role == seed.RoleEndUser {
		if _, path := canonical("", firstOf(tx.Target())); path != prefix+"/users/me" {
			return errForbidden()
		}
	}
	return nil
}

func firstOf(path, _ string) string { return path }

// adminOnly refuses agents.
func adminOnly(tx *twin.Tx) *twin.Error {
	if caller(tx).Role != seed.RoleAdmin {
		return errForbidden()
	}
	return nil
}

// The principal of a help desk whose seed names none.
const (
	principalName  = "Support Agent"
	principalEmail = "agent@support.example"
)

// Counters of ids, and where each starts when a seed holds nothing above it:
// apart, so that an id of one kind is none of another's.
const (
	userCounter                   = "zendesk.user"
	groupCounter                  = "zendesk.group"
	organizationCounter           = "zendesk.organization"
	groupMembershipCounter        = "zendesk.group_membership"
	organizationMembershipCounter = "zendesk.organization_membership"
	ticketCounter                 = "zendesk.ticket"
	auditCounter                  = "zendesk.audit"
	lineCounter                   = "zendesk.line" // comments and events of audits
	jobCounter                    = "zendesk.job"

	userFloor                   = 1_000_000
	groupFloor                  = 2_000_000
	organizationFloor           = 3_000_000
	groupMembershipFloor        = 4_000_000
	organizationMembershipFloor = 5_000_000
	auditFloor                  = 6_000_000
	lineFloor                   = 7_000_000
)

// seedAccount fills the account row, and puts the counters where they start.
func seedAccount(tx *twin.Tx, doc *seed.Document) error {
	a := Account{ID: accountID, PrincipalID: userFloor + 1}
	if z := doc.Zendesk; z != nil {
		c := z.Lifecycle.Closure
		a.PrincipalID = z.PrincipalID
		a.CloseAfterHours, a.SweepPhaseSeconds, a.CloseAuthorID = c.AfterHours, c.SweepPhaseSeconds, c.AuthorID
	}
	accounts.Put(tx, &a)
	tx.Floor(userCounter, userFloor)
	tx.Floor(groupCounter, groupFloor)
	tx.Floor(organizationCounter, organizationFloor)
	tx.Floor(groupMembershipCounter, groupMembershipFloor)
	tx.Floor(organizationMembershipCounter, organizationMembershipFloor)
	tx.Floor(auditCounter, auditFloor)
	tx.Floor(lineCounter, lineFloor)
	return nil
}

// lower folds what is compared without case.
func lower(s string) string { return strings.ToLower(s) }

// live reports whether a row is in lists.
func live(row *projection.Row) bool { return row != nil && len(row.Terms) > 0 }
