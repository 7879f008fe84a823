package zendesk

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"worlds/journal/canon"
	"worlds/twin"
)

// copiesParams say who gets copies of a ticket by more than ids. Who has an address that
// nobody has becomes an end user.
type copiesParams struct {
	AdditionalCollaborators twin.Opt[canon.Raw]    `param:"additional_collaborators"`
	Collaborators           twin.Opt[canon.Raw]    `param:"collaborators"`
	EmailCCs                twin.Opt[[]copyParams] `param:"email_ccs"`
	Followers               twin.Opt[[]copyParams] `param:"followers"`
}

// copyParams put a user on a list, or take one off it.
type copyParams struct {
	Action    twin.Opt[string] `param:"action" rule:"enum=put|delete"`
	UserEmail twin.Opt[string] `param:"user_email"`
	UserID    twin.Opt[int64]  `param:"user_id"`
	UserName  twin.Opt[string] `param:"user_name" rule:"len=255"`
}

// maxName is how long a name or an address may be that comes within a list.
const maxName = 255

// apply changes the lists of a ticket that a request names.
func (p *copiesParams) apply(tx *twin.Tx, t *Ticket) (err *twin.Error) {
	if p.Collaborators.Given() {
		if t.CollaboratorIDs, err = collaborators(tx, "collaborators", nil, p.Collaborators.V); err != nil {
			return err
		}
	}
	if p.AdditionalCollaborators.Given() {
		if t.CollaboratorIDs, err = collaborators(tx, "additional_collaborators", t.CollaboratorIDs, p.AdditionalCollaborators.V); err != nil {
			return err
		}
	}
	if t.EmailCCIDs, err = put(tx, "email_ccs", t.EmailCCIDs, p.EmailCCs.V); err != nil {
		return err
	}
	t.FollowerIDs, err = put(tx, "followers", t.FollowerIDs, p.Followers.V)
	return err
}

// inOrder is a list of users as tickets keep them: by id, each once.
func inOrder(ids []int64) []int64 {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// put is a list of users with some put on it and some taken off, in order of their ids.
func put(tx *twin.Tx, name string, ids []int64, list []copyParams) ([]int64, *twin.Error) {
	ids = slices.Clone(ids)
	for i := range list {
		p := &list[i]
		gone := p.Action.V == "delete"
		id, err := p.user(tx, name, gone)
		if err != nil {
			return nil, err
		}
		at, there := slices.BinarySearch(ids, id)
		switch {
		case gone && there:
			ids = slices.Delete(ids, at, at+1)
		case !gone && !there:
			ids = slices.Insert(ids, at, id)
		}
	}
	return ids, nil
}

// user is whom p means. Nobody is made to be taken off.
func (p *copyParams) user(tx *twin.Tx, name string, gone bool) (int64, *twin.Error) {
	switch {
	case p.UserID.Given():
		if _, ok := activeUser(tx, p.UserID.V); !ok {
			return 0, errNoSuch(name, p.UserID.V)
		}
		return p.UserID.V, nil
	case !p.UserEmail.Given():
		return 0, errField(name, blankValue, "user_id or user_email cannot be blank")
	case gone:
		u, ok := userByEmail(tx, p.UserEmail.V)
		if !ok {
			return 0, errField(name, invalidValue, "%s is not valid", p.UserEmail.V)
		}
		return u.ID, nil
	}
	called := p.UserName
	if strings.TrimSpace(called.V) == "" {
		called = p.UserEmail
	}
	u, err := (&requesterParams{Email: p.UserEmail, Name: called}).find(tx)
	if err != nil {
		return 0, err
	}
	return u.ID, nil
}

// collaborators are those there are with those that a request lists: by id, by address,
// or by {"name", "email"}.
func collaborators(tx *twin.Tx, name string, ids []int64, list canon.Raw) ([]int64, *twin.Error) {
	if list[0] != '[' {
		return nil, errField(name, invalidValue, "must be of type array")
	}
	var all []copyParams
	for e := range canon.Elements(list) {
		var p copyParams
		word, quoted := canon.Unquote(e)
		switch id, number := pathID(string(e)); {
		case number:
			p.UserID = twin.Set(id)
		case quoted:
			if id, number := pathID(word); number {
				p.UserID = twin.Set(id)
			} else {
				p.UserEmail = twin.Set(word)
			}
		case e[0] == '{':
			if err := p.read(tx, name, len(all), e); err != nil {
				return nil, err
			}
		default:
			return nil, errField(name, invalidValue, "%s is not valid", string(e))
		}
		all = append(all, p)
	}
	return put(tx, name, ids, all)
}

// read takes who is meant from {"name", "email"}, which stands at a place of a list.
func (p *copyParams) read(tx *twin.Tx, list string, place int, who canon.Raw) *twin.Error {
	for name, raw := range canon.Members(who) {
		into := &p.UserName
		switch name {
		case "name":
		case "email":
			into = &p.UserEmail
		default:
			tx.Ignore(fmt.Sprintf("ticket[%s][%d][%s]", list, place, name))
			continue
		}
		switch s, quoted := canon.Unquote(raw); {
		case utf8.RuneCountInString(s) > maxName:
			return errField(list, valueTooLong, "%s is too long (maximum is %d characters)", name, maxName)
		case quoted:
			*into = twin.Set(s)
		case string(raw) != "null":
			return errField(list, invalidValue, "%s must be of type string", name)
		}
	}
	return nil
}
