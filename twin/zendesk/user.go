package zendesk

import (
	"bytes"
	"strings"

	"worlds/journal/canon"
	"worlds/projection"
	"worlds/seed"
	"worlds/twin"
)

// User is an end user, agent or admin.
type User struct {
	Active               bool      `json:"active"` // false once deleted
	Alias                *string   `json:"alias"`
	CreatedAt            Stamp     `json:"created_at"`
	CustomRoleID         canon.Raw `json:"custom_role_id"`
	DefaultGroupID       *int64    `json:"default_group_id"`
	Details              *string   `json:"details"`
	Email                *string   `json:"email"`
	ExternalID           *string   `json:"external_id"`
	IANATimeZone         string    `json:"iana_time_zone"`
	ID                   int64     `json:"id"`
	LastLoginAt          canon.Raw `json:"last_login_at"`
	Locale               string    `json:"locale"`
	LocaleID             int64     `json:"locale_id"`
	Moderator            bool      `json:"moderator"`
	Name                 string    `json:"name"`
	Notes                *string   `json:"notes"`
	OnlyPrivateComments  bool      `json:"only_private_comments"`
	OrganizationID       *int64    `json:"organization_id"`
	Phone                *string   `json:"phone"`
	Photo                canon.Raw `json:"photo"`
	ReportCSV            bool      `json:"report_csv"`
	RestrictedAgent      bool      `json:"restricted_agent"`
	Role                 string    `json:"role"`
	RoleType             *int64    `json:"role_type"`
	Shared               bool      `json:"shared"`
	SharedAgent          bool      `json:"shared_agent"`
	SharedPhoneNumber    canon.Raw `json:"shared_phone_number"`
	Signature            *string   `json:"signature"`
	Suspended            bool      `json:"suspended"`
	Tags                 []string  `json:"tags"`
	TicketRestriction    *string   `json:"ticket_restriction"`
	TimeZone             string    `json:"time_zone"`
	TwoFactorAuthEnabled bool      `json:"two_factor_auth_enabled"`
	UpdatedAt            Stamp     `json:"updated_at"`
	URL                  string    `json:"url"`
	UserFields           canon.Raw `json:"user_fields"`
	Verified             bool      `json:"verified"`
}

var users = twin.Resource[User]{
	Kind: twin.Kind{Table: "zendesk.user", Object: "user"},
	Key:  func(u *User) string { return key(u.ID) },
	Terms: func(u *User) []string {
		if !u.Active {
			return nil
		}
		terms := []string{"live=true", "role=" + u.Role}
		if u.Email != nil {
			terms = append(terms, "email="+lower(*u.Email))
		}
		if u.ExternalID != nil {
			terms = append(terms, "external="+*u.ExternalID)
		}
		return terms
	},
}

func userAPI() twin.API {
	return twin.API{
		Kind: users.Kind,
		Routes: []twin.Route{
			twin.On("GET /api/v2/users", listUsers),
			twin.On("POST /api/v2/users", createUser),
			twin.On("POST /api/v2/users/create_or_update", createOrUpdateUser),
			twin.On("GET /api/v2/users/autocomplete", autocompleteUsers),
			twin.On("GET /api/v2/users/count", countUsers),
			twin.On("GET /api/v2/users/me", showMe),
			twin.On("GET /api/v2/users/search", searchUsers),
			twin.On("GET /api/v2/users/show_many", showManyUsers),
			twin.On("GET /api/v2/users/{id}", showUser),
			twin.On("PUT /api/v2/users/{id}", updateUser),
			twin.On("DELETE /api/v2/users/{id}", deleteUser),
			twin.On("GET /api/v2/groups/{id}/users", listGroupUsers),
			twin.On("GET /api/v2/organizations/{id}/users", listOrganizationUsers),
		},
		Seed: seedUsers,
	}
}

// usable reports whether the user may call the API.
func (u *User) usable() bool { return u.Active && !u.Suspended }

// staff reports whether the user works on tickets.
func (u *User) staff() bool { return u.Role != seed.RoleEndUser }

func userByEmail(tx *twin.Tx, email string) (*User, bool) {
	for u := range users.With(tx, "email="+lower(email)) {
		return u, true
	}
	return nil, false
}

// activeUser finds a user who was not deleted.
func activeUser(tx *twin.Tx, id int64) (*User, bool) {
	u, ok := users.Get(tx, key(id))
	return u, ok && u.Active
}

type userParams struct {
	Alias               twin.Opt[string]    `param:"alias" rule:"empty"`
	DefaultGroupID      twin.Opt[int64]     `param:"default_group_id" rule:"empty"`
	Details             twin.Opt[string]    `param:"details" rule:"empty,len=65536"`
	Email               twin.Opt[string]    `param:"email" rule:"empty,len=512"`
	ExternalID          twin.Opt[string]    `param:"external_id" rule:"empty,len=255"`
	Identities          twin.Opt[canon.Raw] `param:"identities"`
	Name                twin.Opt[string]    `param:"name" rule:"len=255"`
	Notes               twin.Opt[string]    `param:"notes" rule:"empty,len=65536"`
	OnlyPrivateComments twin.Opt[bool]      `param:"only_private_comments"`
	Organization        twin.Opt[canon.Raw] `param:"organization"`
	OrganizationID      twin.Opt[int64]     `param:"organization_id" rule:"empty"`
	Phone               twin.Opt[string]    `param:"phone" rule:"empty,len=100"`
	Role                twin.Opt[string]    `param:"role" rule:"enum=end-user|agent|admin"`
	Signature           twin.Opt[string]    `param:"signature" rule:"empty,len=65536"`
	Suspended           twin.Opt[bool]      `param:"suspended"`
	Tags                twin.Opt[[]string]  `param:"tags"`
	TimeZone            twin.Opt[string]    `param:"time_zone" rule:"len=100"`
	UserFields          twin.Opt[canon.Raw] `param:"user_fields"`
	Verified            twin.Opt[bool]      `param:"verified"`
}

type createUserParams struct {
	User twin.Opt[userParams] `param:"user" rule:"required"`
}

func createUser(tx *twin.Tx, p *createUserParams) (twin.Doc, *twin.Error) {
	u, err := makeUser(tx, &p.User.V)
	if err != nil {
		return twin.Doc{}, err
	}
	doc, _ := users.Doc(tx, key(u.ID))
	return made("user", doc), nil
}

// makeUser stores a new user with what belongs to one.
func makeUser(tx *twin.Tx, p *userParams) (*User, *twin.Error) {
	if strings.TrimSpace(p.Name.V) == "" {
		return nil, errField("name", blankValue, "cannot be blank")
	}
	id := tx.Next(userCounter)
	u := newUser(id, p.Name.V, stampOf(tx.Now()))
	if err := p.apply(tx, &u); err != nil {
		return nil, err
	}
	doc := users.Put(tx, &u)
	tx.Emit("user.created", doc, nil)
	return &u, p.join(tx, nil, &u)
}

func newUser(id int64, name string, at Stamp) User {
	requested := "requested"
	return User{Active: true, CreatedAt: at, IANATimeZone: "Etc/UTC", ID: id, Locale: "en-US", LocaleID: 1, Name: name,
		Role: seed.RoleEndUser, TicketRestriction: &requested, TimeZone: "UTC", UpdatedAt: at, URL: linkTo("users", id),
		UserFields: canon.Raw("{}")}
}

// apply changes the named fields, and only those; memberships are join's.
func (p *userParams) apply(tx *twin.Tx, u *User) *twin.Error {
	if err := p.checkRole(tx, u); err != nil {
		return err
	}
	if p.Email.Given() {
		if err := freeEmail(tx, p.Email.V, u.ID); err != nil {
			return err
		}
	}
	if p.Name.Given() && strings.TrimSpace(p.Name.V) == "" {
		return errField("name", blankValue, "cannot be blank")
	}
	if o := p.OrganizationID; o.Given() && !organizationExists(tx, o.V) {
		return errNoSuch("organization_id", o.V)
	}
	if p.ExternalID.Given() && p.ExternalID.V != "" {
		for other := range users.With(tx, "external="+p.ExternalID.V) {
			if other.ID != u.ID {
				return errTaken()
			}
		}
	}
	if err := p.unserved(u); err != nil {
		return err
	}
	p.Alias.Apply(&u.Alias)
	p.Details.Apply(&u.Details)
	if u.Email == nil || p.Email.Cleared() {
		p.Email.Apply(&u.Email)
	}
	p.ExternalID.Apply(&u.ExternalID)
	p.Notes.Apply(&u.Notes)
	p.OrganizationID.Apply(&u.OrganizationID)
	p.Phone.Apply(&u.Phone)
	p.Signature.Apply(&u.Signature)
	u.Name = p.Name.Or(u.Name)
	u.OnlyPrivateComments = p.OnlyPrivateComments.Or(u.OnlyPrivateComments)
	u.Suspended = p.Suspended.Or(u.Suspended)
	u.TimeZone = p.TimeZone.Or(u.TimeZone)
	u.Verified = p.Verified.Or(u.Verified)
	if p.Tags.Given() {
		u.Tags = tagsOf(p.Tags.V)
	}
	u.setRole(p.Role.Or(u.Role))
	var err *twin.Error
	u.UserFields, err = applyFields("user_fields", u.UserFields, p.UserFields)
	return err
}

// unserved refuses what would give a user identities beside the address, as another
// address does: that never takes the place of the first.
func (p *userParams) unserved(u *User) *twin.Error {
	switch {
	case p.Identities.Given() && string(p.Identities.V) != "[]":
		return errUnserved("the identities of users (user[identities])")
	case p.Email.Given() && u.Email != nil && lower(*u.Email) != lower(p.Email.V):
		return errUnserved("a second address of a user (user[email] of one who has an address)")
	case p.Organization.Given():
		return errUnserved("an organization by its name (user[organization])")
	}
	return nil
}

// checkRole keeps agents from making agents, and admins from locking themselves
// out.
func (p *userParams) checkRole(tx *twin.Tx, u *User) *twin.Error {
	if p.Role.Or(u.Role) == seed.RoleEndUser && !u.staff() {
		return nil
	}
	me := caller(tx)
	if me.Role != seed.RoleAdmin && (p.Role.Or(u.Role) != u.Role || me.ID != u.ID) {
		return errForbidden()
	}
	if id := account(tx).PrincipalID; id == u.ID && (p.Role.Or(u.Role) == seed.RoleEndUser || p.Suspended.Or(false)) {
		return errField("role", invalidValue, "the owner of the account stays an agent or admin")
	}
	return nil
}

func (u *User) setRole(role string) {
	u.Role, u.RoleType, u.TicketRestriction = role, nil, nil
	switch role {
	case seed.RoleAdmin:
		u.RoleType = idOrNull(4)
	case seed.RoleEndUser:
		requested := "requested"
		u.TicketRestriction = &requested
	}
}

// freeEmail refuses an address that is none, or another user's.
func freeEmail(tx *twin.Tx, email string, id int64) *twin.Error {
	local, domain, ok := strings.Cut(email, "@")
	if !ok || local == "" || domain == "" || strings.ContainsAny(email, " \t\n,;") || strings.Contains(domain, "@") {
		return errField("email", invalidValue, "%s is not properly formatted", email)
	}
	if other, ok := userByEmail(tx, email); ok && other.ID != id {
		return errField("email", duplicateValue, "%s is already being used by another user", email)
	}
	return nil
}

// applyFields merges the values of custom fields into those there are.
func applyFields(name string, old canon.Raw, p twin.Opt[canon.Raw]) (canon.Raw, *twin.Error) {
	if !p.Given() {
		return old, nil
	}
	if p.V[0] != '{' {
		return nil, errField(name, invalidValue, "must be a hash")
	}
	values := map[string]canon.Raw{}
	var names []string
	for _, from := range []canon.Raw{old, p.V} {
		for k, v := range canon.Members(from) {
			if seed.DeskLink(k) || !plainValue(v) {
				return nil, errField(name, invalidValue, "%s is not valid", k)
			}
			if _, known := values[k]; !known {
				names = append(names, k)
			}
			values[k] = v
		}
	}
	parts := make([]part, 0, len(names))
	for _, k := range names {
		parts = append(parts, part{k, values[k]})
	}
	return object(parts...), nil
}

// plainValue accepts what a custom field may hold: a scalar or a list of texts.
func plainValue(v canon.Raw) bool {
	return len(v) > 0 && v[0] != '{' && !bytes.Contains(v, []byte("{"))
}

// join makes the memberships that the request implies: whoever becomes an agent
// (was is nil or an end user) is in the default group.
func (p *userParams) join(tx *twin.Tx, was, u *User) *twin.Error {
	if u.OrganizationID != nil {
		joinOrganization(tx, u.ID, *u.OrganizationID)
	} else if p.OrganizationID.Cleared() {
		leaveOrganizations(tx, u.ID)
	}
	if !u.staff() {
		if p.DefaultGroupID.Given() {
			tx.Ignore("user[default_group_id]")
		}
		leaveGroups(tx, u.ID) // who was an agent
		return nil
	}
	group := p.DefaultGroupID.V
	if !p.DefaultGroupID.Given() {
		if group = defaultGroup(tx); group == 0 || was != nil && was.staff() || inAnyGroup(tx, u.ID) {
			return nil
		}
	}
	if !groupExists(tx, group) {
		return errNoSuch("default_group_id", group)
	}
	joinGroup(tx, u.ID, group, true)
	return nil
}

type createOrUpdateUserParams struct {
	User twin.Opt[userParams] `param:"user" rule:"required"`
}

// createOrUpdateUser finds the user by e-mail or external id; 200 for one there
// is, 201 for a new one.
func createOrUpdateUser(tx *twin.Tx, p *createOrUpdateUserParams) (twin.Doc, *twin.Error) {
	u, ok := knownUser(tx, &p.User.V)
	if !ok {
		return createUser(tx, &createUserParams{User: p.User})
	}
	return changeUser(tx, u, &p.User.V)
}

// knownUser is the user whom a request means by address or external id.
func knownUser(tx *twin.Tx, p *userParams) (*User, bool) {
	if u, ok := userByEmail(tx, p.Email.V); ok {
		return u, true
	}
	if p.ExternalID.Given() {
		for u := range users.With(tx, "external="+p.ExternalID.V) {
			return u, true
		}
	}
	return nil, false
}

// besideParams name what is shown beside users.
type besideParams struct {
	Include twin.Opt[string] `param:"include"`
}

type showUserParams struct {
	recordPath
	besideParams
}

func showUser(tx *twin.Tx, p *showUserParams) (twin.Doc, *twin.Error) {
	doc, ok := users.Doc(tx, p.ID)
	if !ok {
		return twin.Doc{}, errNotFound()
	}
	return twin.Doc{Body: object(append(p.aside(tx)([]canon.Raw{doc.Body}), part{"user", doc.Body})...)}, nil
}

// aside makes the sideloads of users.
func (p *besideParams) aside(tx *twin.Tx) func([]canon.Raw) []part {
	return func(shown []canon.Raw) []part {
		var parts []part
		for name := range strings.SplitSeq(p.Include.V, ",") {
			switch name {
			case "organizations":
				parts = append(parts, part{name, beside(tx, organizations.Table, shown, "organization_id")})
			case "groups":
				parts = append(parts, part{name, array(groupsOf(tx, shown))})
			case "":
			default:
				tx.Ignore("include=" + name)
			}
		}
		return parts
	}
}

// groupsOf gathers the groups that users are in, by id.
func groupsOf(tx *twin.Tx, shown []canon.Raw) []canon.Raw {
	in := map[string]bool{}
	for _, body := range shown {
		id, _ := canon.Get(body, "id")
		for m := range groupMemberships.With(tx, "user="+string(id)) {
			in[key(m.GroupID)] = true
		}
	}
	var rows []canon.Raw
	for _, it := range rowsWith(tx.State(), groups.Table, "", func(row *projection.Row) bool { return in[row.ID] }) {
		rows = append(rows, it.body)
	}
	return rows
}

type noParams struct{}

func showMe(tx *twin.Tx, _ *noParams) (twin.Doc, *twin.Error) {
	doc, _ := users.Doc(tx, key(caller(tx).ID))
	return wrapped("user", doc), nil
}

type updateUserParams struct {
	recordPath
	User twin.Opt[userParams] `param:"user" rule:"required"`
}

func updateUser(tx *twin.Tx, p *updateUserParams) (twin.Doc, *twin.Error) {
	u, ok := users.Get(tx, p.ID)
	if !ok || !u.Active {
		return twin.Doc{}, errNotFound()
	}
	return changeUser(tx, u, &p.User.V)
}

func changeUser(tx *twin.Tx, u *User, p *userParams) (twin.Doc, *twin.Error) {
	now := *u
	if err := p.apply(tx, &now); err != nil {
		return twin.Doc{}, err
	}
	replaceUser(tx, &now)
	if err := p.join(tx, u, &now); err != nil {
		return twin.Doc{}, err
	}
	doc, _ := users.Doc(tx, key(u.ID))
	return wrapped("user", doc), nil
}

// replaceUser stores a changed user; one that did not change keeps its
// updated_at.
func replaceUser(tx *twin.Tx, u *User) {
	was, _ := users.Doc(tx, key(u.ID))
	if bytes.Equal(was.Body, canon.Marshal(u)) {
		return
	}
	u.UpdatedAt = stampOf(tx.Now())
	doc, previous, _ := users.Replace(tx, u)
	tx.Emit("user.updated", doc, previous)
}

// deleteUser leaves the user to be shown, inactive and in no list.
func deleteUser(tx *twin.Tx, p *recordPath) (twin.Doc, *twin.Error) {
	if err := adminOnly(tx); err != nil {
		return twin.Doc{}, err
	}
	u, ok := users.Get(tx, p.ID)
	if !ok || !u.Active {
		return twin.Doc{}, errNotFound()
	}
	if a := account(tx); u.ID == a.PrincipalID || u.ID == a.CloseAuthorID {
		return twin.Doc{}, errField("base", invalidValue, "the owner of the account cannot be deleted")
	}
	leaveGroups(tx, u.ID)
	leaveOrganizations(tx, u.ID)
	now, _ := users.Get(tx, p.ID)
	gone := *now
	gone.Active, gone.UpdatedAt = false, stampOf(tx.Now())
	doc := users.Put(tx, &gone)
	tx.Emit("user.deleted", doc, nil)
	return wrapped("user", doc), nil
}

// roleParams are the roles that a list of users is asked for: role=agent, or
// role[]=agent&role[]=admin.
type roleParams struct {
	Role twin.Opt[canon.Raw] `param:"role"`
}

// has reports whether a user has one of the roles asked for.
func (p *roleParams) has(row *projection.Row) bool {
	switch {
	case !p.Role.Given():
		return true
	case p.Role.V[0] != '{':
		role, _ := canon.Unquote(p.Role.V)
		return hasTerm(row, "role="+role)
	}
	for _, e := range canon.Members(p.Role.V) { // a list, by its numbers
		if role, _ := canon.Unquote(e); hasTerm(row, "role="+role) {
			return true
		}
	}
	return false
}

type listUsersParams struct {
	paging
	besideParams
	roleParams
	ExternalID twin.Opt[string] `param:"external_id"`
}

func listUsers(tx *twin.Tx, p *listUsersParams) (twin.Doc, *twin.Error) {
	term := "live=true"
	if p.ExternalID.Given() {
		term = "external=" + p.ExternalID.V
	}
	return p.listing(tx, rowsWith(tx.State(), users.Table, term, p.has)).answer(tx, &p.paging)
}

// listing is userListing with what is shown beside it.
func (p *besideParams) listing(tx *twin.Tx, items []item) *listing {
	l := userListing(items)
	l.aside = p.aside(tx)
	return l
}

func userListing(items []item) *listing {
	return &listing{name: "users", items: items, sorts: []string{"name", "updated_at", "created_at"}}
}

func countUsers(tx *twin.Tx, p *roleParams) (twin.Doc, *twin.Error) {
	return countDoc(tx, len(rowsWith(tx.State(), users.Table, "live=true", p.has))), nil
}

// countDoc is the answer to a count.
func countDoc(tx *twin.Tx, n int) twin.Doc {
	return twin.Doc{Body: object(part{"count", object(
		part{"refreshed_at", text(string(stampOf(tx.Now())))}, part{"value", number(int64(n))})})}
}

type showManyParams struct {
	paging
	IDs         twin.Opt[string] `param:"ids"`
	ExternalIDs twin.Opt[string] `param:"external_ids"`
}

// bulkMax is how many records one request may name.
const bulkMax = 100

// idList reads a list of ids with commas between them.
func idList(s string) ([]int64, *twin.Error) {
	var ids []int64
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		id, ok := pathID(word)
		if !ok {
			return nil, errAttribute("ids", "must be a list of integers")
		}
		ids = append(ids, id)
	}
	if len(ids) > bulkMax {
		return nil, errTooManyIDs()
	}
	return ids, nil
}

// many gathers the live records of a table that a request names, in its order.
func (p *showManyParams) many(tx *twin.Tx, table string) ([]item, *twin.Error) {
	if !p.IDs.Given() && !p.ExternalIDs.Given() {
		return nil, errAttribute("ids", "is missing")
	}
	ids, err := idList(p.IDs.V)
	if err != nil {
		return nil, err
	}
	var out []item
	for _, id := range ids {
		if row := tx.State().Get(table, key(id)); live(row) {
			out = append(out, item{id: id, body: row.Body})
		}
	}
	if p.ExternalIDs.Given() {
		for word := range strings.SplitSeq(p.ExternalIDs.V, ",") {
			out = append(out, rowsWith(tx.State(), table, "external="+word, nil)...)
		}
	}
	return out, nil
}

type showManyUsersParams struct {
	showManyParams
	besideParams
}

func showManyUsers(tx *twin.Tx, p *showManyUsersParams) (twin.Doc, *twin.Error) {
	items, err := p.many(tx, users.Table)
	if err != nil {
		return twin.Doc{}, err
	}
	return p.listing(tx, items).answer(tx, &p.paging)
}

type autocompleteParams struct {
	paging
	Name twin.Opt[string] `param:"name"`
}

// autocompleteUsers finds users by how a word of their name, or their e-mail,
// begins.
func autocompleteUsers(tx *twin.Tx, p *autocompleteParams) (twin.Doc, *twin.Error) {
	begin := lower(p.Name.V)
	items := rowsWith(tx.State(), users.Table, "live=true", func(row *projection.Row) bool {
		u := users.Decode(row)
		return begin != "" && (wordBegins(u.Name, begin) || strings.HasPrefix(lower(orZero(u.Email)), begin))
	})
	return userListing(items).answer(tx, &p.paging)
}

func wordBegins(name, begin string) bool {
	name = lower(name)
	return strings.HasPrefix(name, begin) || strings.Contains(name, " "+begin)
}

type searchUsersParams struct {
	paging
	besideParams
	Query      twin.Opt[string] `param:"query"`
	ExternalID twin.Opt[string] `param:"external_id"`
}

func searchUsers(tx *twin.Tx, p *searchUsersParams) (twin.Doc, *twin.Error) {
	if err := p.offsetOnly(); err != nil {
		return twin.Doc{}, err
	}
	if !p.Query.Given() && !p.ExternalID.Given() {
		return twin.Doc{}, errAttribute("query", "is missing")
	}
	if p.ExternalID.Given() {
		return p.listing(tx, rowsWith(tx.State(), users.Table, "external="+p.ExternalID.V, nil)).answer(tx, &p.paging)
	}
	q, err := parseQuery(p.Query.V)
	if err != nil {
		return twin.Doc{}, err
	}
	s := newSearch(tx)
	items := rowsWith(tx.State(), users.Table, "live=true", func(row *projection.Row) bool { return s.user(q, users.Decode(row)) })
	return p.listing(tx, items).answer(tx, &p.paging)
}

type usersOfParams struct {
	recordPath
	paging
}

// membersParams are who of some users are asked for.
type membersParams struct {
	usersOfParams
	roleParams
}

func listGroupUsers(tx *twin.Tx, p *membersParams) (twin.Doc, *twin.Error) {
	if _, ok := groups.Get(tx, p.ID); !ok {
		return twin.Doc{}, errNotFound()
	}
	members := map[int64]bool{}
	for m := range groupMemberships.With(tx, "group="+p.ID) {
		members[m.UserID] = true
	}
	items := rowsWith(tx.State(), users.Table, "live=true", func(row *projection.Row) bool {
		id, _ := pathID(row.ID)
		return members[id] && p.has(row)
	})
	return userListing(items).answer(tx, &p.paging)
}

func listOrganizationUsers(tx *twin.Tx, p *membersParams) (twin.Doc, *twin.Error) {
	if _, ok := organizations.Get(tx, p.ID); !ok {
		return twin.Doc{}, errNotFound()
	}
	members := map[int64]bool{}
	for m := range organizationMemberships.With(tx, "organization="+p.ID) {
		members[m.UserID] = true
	}
	items := rowsWith(tx.State(), users.Table, "live=true", func(row *projection.Row) bool {
		u := users.Decode(row)
		return (members[u.ID] || key(orZero(u.OrganizationID)) == p.ID) && p.has(row)
	})
	return userListing(items).answer(tx, &p.paging)
}

// seedUsers fills the users of a native block, the requesters of the older
// section, and the principal where no block names one.
func seedUsers(tx *twin.Tx, doc *seed.Document) error {
	if doc.Zendesk == nil {
		return seedRequesters(tx, doc)
	}
	for _, s := range doc.Zendesk.Users {
		u := newUser(s.ID, s.Name, stampOf(twin.Time(s.CreatedAt)))
		u.setRole(s.Role)
		u.Active, u.Suspended, u.Verified = s.Active, s.Suspended, s.Verified
		u.Email, u.ExternalID, u.Phone = textOrNull(s.Email), textOrNull(s.ExternalID), textOrNull(s.Phone)
		u.Alias, u.Details, u.Notes, u.Signature = textOrNull(s.Alias), textOrNull(s.Details), textOrNull(s.Notes), textOrNull(s.Signature)
		u.OrganizationID, u.DefaultGroupID = idOrNull(s.OrganizationID), idOrNull(s.DefaultGroupID)
		u.Tags, u.UserFields, u.UpdatedAt = s.Tags, s.Fields, stampOf(twin.Time(s.UpdatedAt))
		if s.TimeZone != "" {
			u.TimeZone = s.TimeZone
		}
		if s.Locale != "" {
			u.Locale = s.Locale
		}
		users.Put(tx, &u)
		tx.Floor(userCounter, s.ID)
	}
	return nil
}

// seedRequesters makes the principal and one end user for each address that wrote
// a ticket, in file order.
func seedRequesters(tx *twin.Tx, doc *seed.Document) error {
	email := principalEmail
	at := twin.Time(doc.Epoch)
	for _, t := range doc.Data.Tickets {
		at = min(at, twin.Time(doc.Epoch-t.CreatedOffset))
	}
	principal := newUser(tx.Next(userCounter), principalName, stampOf(at))
	principal.Email, principal.Verified = &email, true
	principal.setRole(seed.RoleAdmin)
	users.Put(tx, &principal)
	for _, t := range doc.Data.Tickets {
		if _, known := userByEmail(tx, t.Requester.Email); known {
			continue
		}
		name := t.Requester.Name
		if name == "" {
			name, _, _ = strings.Cut(t.Requester.Email, "@")
		}
		u := newUser(tx.Next(userCounter), name, stampOf(twin.Time(doc.Epoch-t.CreatedOffset)))
		u.Email, u.Verified = textOrNull(t.Requester.Email), true
		users.Put(tx, &u)
	}
	return nil
}
