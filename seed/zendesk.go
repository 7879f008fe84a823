package seed

import "worlds/journal/canon"

// Zendesk is the native help desk block: people, tickets and their whole history,
// under ids of their own. Moments are Unix seconds; 0 says that there is none. An
// id of 0 says that nothing is referred to.
type Zendesk struct {
	Version                 int64
	PrincipalID             int64 // the agent or admin that API calls act as
	Users                   []ZendeskUser
	Groups                  []ZendeskGroup
	Organizations           []ZendeskOrganization
	GroupMemberships        []ZendeskGroupMembership
	OrganizationMemberships []ZendeskOrganizationMembership
	Tickets                 []ZendeskTicket
	Comments                []ZendeskComment
	Audits                  []ZendeskAudit
	Lifecycle               ZendeskLifecycle
}

// ZendeskLifecycle is what happens to tickets by time alone.
type ZendeskLifecycle struct{ Closure ZendeskClosure }

// ZendeskClosure closes tickets that were solved AfterHours ago, at the first
// sweep from then on. The zero value closes nothing.
type ZendeskClosure struct {
	AfterHours        int64 // 1 to 672
	SweepPhaseSeconds int64 // seconds past the hour of a sweep, 0 to 3599
	AuthorID          int64 // the agent or admin whose audits tell of it
}

// IsZero reports whether nothing is closed.
func (c ZendeskClosure) IsZero() bool { return c.AfterHours == 0 }

// closeSweep is how often closures are looked for.
const closeSweep = 3600

// CloseAt is the sweep that closes a ticket solved at solved, 0 for none.
func (c ZendeskClosure) CloseAt(solved int64) int64 {
	if c.IsZero() || solved == 0 {
		return 0
	}
	ripe := solved + c.AfterHours*3600
	return ripe + floorMod(c.SweepPhaseSeconds-ripe, closeSweep)
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

// Roles of a help desk user.
const (
	RoleEndUser = "end-user"
	RoleAgent   = "agent"
	RoleAdmin   = "admin"
)

// ZendeskUser is an end user, agent or admin.
type ZendeskUser struct {
	ID             int64
	Name, Email    string
	Role           string
	Active         bool // true by default
	Suspended      bool
	Verified       bool // true by default
	OrganizationID int64
	DefaultGroupID int64
	ExternalID     string
	Phone          string
	Alias, Details string
	Notes          string
	Signature      string
	TimeZone       string
	Locale         string
	Tags           []string
	Fields         canon.Raw // user_fields, an object
	CreatedAt      int64     // the epoch by default
	UpdatedAt      int64     // CreatedAt by default
}

// ZendeskGroup is a group of agents.
type ZendeskGroup struct {
	ID                   int64
	Name, Description    string
	Default, Deleted     bool
	IsPublic             bool // true by default
	CreatedAt, UpdatedAt int64
}

// ZendeskOrganization is a company that users belong to.
type ZendeskOrganization struct {
	ID                            int64
	Name                          string
	DomainNames                   []string
	Details, Notes                string
	ExternalID                    string
	GroupID                       int64
	SharedTickets, SharedComments bool
	Tags                          []string
	Fields                        canon.Raw // organization_fields, an object
	CreatedAt, UpdatedAt          int64
}

// ZendeskGroupMembership puts an agent into a group.
type ZendeskGroupMembership struct {
	ID, UserID, GroupID  int64
	Default              bool
	CreatedAt, UpdatedAt int64
}

// ZendeskOrganizationMembership puts a user into an organization.
type ZendeskOrganizationMembership struct {
	ID, UserID, OrganizationID int64
	Default, ViewTickets       bool
	CreatedAt, UpdatedAt       int64
}

// ZendeskTicket is a ticket as it stands at the epoch.
type ZendeskTicket struct {
	ID                  int64
	Subject             string
	Description         string // the first comment's body by default
	Status              string
	Priority            string
	Type                string
	RequesterID         int64
	SubmitterID         int64 // RequesterID by default
	AssigneeID          int64
	GroupID             int64
	OrganizationID      int64
	ProblemID           int64
	ExternalID          string
	Recipient           string
	DueAt               int64
	Tags                []string
	CollaboratorIDs     []int64
	FollowerIDs         []int64
	EmailCCIDs          []int64
	CustomFields        []ZendeskCustomField
	IsPublic            bool // true by default
	ViaChannel          string
	ViaFollowupSourceID int64
	SolvedAt            int64
	CreatedAt           int64 // the epoch by default
	UpdatedAt           int64 // CreatedAt by default
}

// ZendeskCustomField is the value of one custom field, any JSON value.
type ZendeskCustomField struct {
	ID    int64
	Value canon.Raw
}

// ZendeskComment is one comment of a ticket.
type ZendeskComment struct {
	ID, TicketID, AuthorID int64
	AuditID                int64 // 0 for a ticket without audits
	Body                   string
	HTMLBody               string // made from Body by default
	Public                 bool   // true by default
	CreatedAt              int64  // the epoch by default
}

// ZendeskAudit is one change of a ticket.
type ZendeskAudit struct {
	ID, TicketID, AuthorID int64
	ViaChannel             string // "api" by default, or "rule"
	Events                 []ZendeskAuditEvent
	CreatedAt              int64 // the epoch by default
}

// ZendeskAuditEvent is one line of an audit. A Comment's id is that of the
// comment; Create and Change name a field.
type ZendeskAuditEvent struct {
	ID        int64
	Type      string
	FieldName string
	Value     canon.Raw // null, a string or an array of strings
	Previous  canon.Raw // of a Change
	CommentID int64     // of what happened to a comment
}

// Types of audit events.
const (
	AuditComment   = "Comment"
	AuditCreate    = "Create"
	AuditChange    = "Change"
	AuditPrivacy   = "CommentPrivacyChange"
	AuditRedaction = "CommentRedactionEvent"
)
