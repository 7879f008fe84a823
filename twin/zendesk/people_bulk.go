package zendesk

import "worlds/twin"

// Bulk requests about people, companies and their memberships, answered with a
// job as those about tickets are.

func peopleBulkAPI() twin.API {
	return twin.API{
		Routes: []twin.Route{
			twin.On("POST /api/v2/users/create_many", createManyUsers),
			twin.On("POST /api/v2/users/create_or_update_many", createOrUpdateManyUsers),
			twin.On("PUT /api/v2/users/update_many", updateManyUsers),
			twin.On("DELETE /api/v2/users/destroy_many", destroyManyUsers),
			twin.On("POST /api/v2/organizations/create_many", createManyOrganizations),
			twin.On("DELETE /api/v2/organizations/destroy_many", destroyManyOrganizations),
			twin.On("POST /api/v2/group_memberships/create_many", createManyGroupMemberships),
			twin.On("DELETE /api/v2/group_memberships/destroy_many", destroyManyGroupMemberships),
			twin.On("POST /api/v2/organization_memberships/create_many", createManyOrganizationMemberships),
			twin.On("DELETE /api/v2/organization_memberships/destroy_many", destroyManyOrganizationMemberships),
		},
	}
}

// creates is the result of making record i, to be filled in.
func creates(i int) jobResult {
	index := int64(i)
	return jobResult{Action: "create", Index: &index, Status: "Created", Success: true}
}

type manyUsersParams struct {
	Users twin.Opt[[]userParams] `param:"users" rule:"required"`
}

func createManyUsers(tx *twin.Tx, p *manyUsersParams) (twin.Doc, *twin.Error) {
	list := p.Users.V
	if len(list) > bulkMax {
		return twin.Doc{}, errTooManyIDs()
	}
	return run(tx, "Bulk Create User", len(list), func(i int) (jobResult, *twin.Error) {
		r := creates(i)
		u, err := makeUser(tx, &list[i])
		if err == nil {
			r.ID = &u.ID
		}
		return r, err
	}), nil
}

func createOrUpdateManyUsers(tx *twin.Tx, p *manyUsersParams) (twin.Doc, *twin.Error) {
	list := p.Users.V
	if len(list) > bulkMax {
		return twin.Doc{}, errTooManyIDs()
	}
	return run(tx, "Bulk Create or Update User", len(list), func(i int) (jobResult, *twin.Error) {
		r := creates(i)
		u, ok := knownUser(tx, &list[i])
		if !ok {
			u, err := makeUser(tx, &list[i])
			if err == nil {
				r.ID = &u.ID
			}
			return r, err
		}
		r.Action, r.Status, r.ID = "update", "Updated", &u.ID
		_, err := changeUser(tx, u, &list[i])
		return r, err
	}), nil
}

type manyUserParams struct {
	userParams
	ID twin.Opt[int64] `param:"id"`
}

type updateManyUsersParams struct {
	IDs   twin.Opt[string]           `param:"ids"`
	User  twin.Opt[userParams]       `param:"user"`
	Users twin.Opt[[]manyUserParams] `param:"users"`
}

// updateManyUsers makes one change to the users that ids names, or each user's own.
func updateManyUsers(tx *twin.Tx, p *updateManyUsersParams) (twin.Doc, *twin.Error) {
	changes := p.Users.V
	if p.IDs.Given() {
		if !p.User.Given() {
			return twin.Doc{}, errAttribute("user", "must be a hash")
		}
		ids, err := idList(p.IDs.V)
		if err != nil {
			return twin.Doc{}, err
		}
		changes = nil
		for _, id := range ids {
			changes = append(changes, manyUserParams{userParams: p.User.V, ID: twin.Set(id)})
		}
	} else if !p.Users.Given() {
		return twin.Doc{}, errAttribute("users", "must be an array")
	}
	if len(changes) > bulkMax {
		return twin.Doc{}, errTooManyIDs()
	}
	return run(tx, "Bulk Update User", len(changes), func(i int) (jobResult, *twin.Error) {
		index, id := int64(i), changes[i].ID.V
		r := jobResult{Action: "update", ID: &id, Index: &index, Status: "Updated", Success: true}
		u, ok := activeUser(tx, id)
		if !ok {
			return r, errNotFound()
		}
		_, err := changeUser(tx, u, &changes[i].userParams)
		return r, err
	}), nil
}

// destroyMany deletes the records that ids names, one by one.
func destroyMany(tx *twin.Tx, kind string, p *destroyManyParams, destroy func(id string) *twin.Error) (twin.Doc, *twin.Error) {
	ids, err := idList(p.IDs.V)
	if err != nil {
		return twin.Doc{}, err
	}
	return run(tx, kind, len(ids), func(i int) (jobResult, *twin.Error) {
		index, id := int64(i), ids[i]
		return jobResult{Action: "delete", ID: &id, Index: &index, Status: "Deleted", Success: true}, destroy(key(id))
	}), nil
}

func destroyManyUsers(tx *twin.Tx, p *destroyManyParams) (twin.Doc, *twin.Error) {
	return destroyMany(tx, "Bulk Delete User", p, func(id string) *twin.Error {
		_, err := deleteUser(tx, &recordPath{ID: id})
		return err
	})
}

type manyOrganizationsParams struct {
	Organizations twin.Opt[[]organizationParams] `param:"organizations" rule:"required"`
}

func createManyOrganizations(tx *twin.Tx, p *manyOrganizationsParams) (twin.Doc, *twin.Error) {
	list := p.Organizations.V
	if len(list) > bulkMax {
		return twin.Doc{}, errTooManyIDs()
	}
	return run(tx, "Bulk Create Organization", len(list), func(i int) (jobResult, *twin.Error) {
		r := creates(i)
		o, err := makeOrganization(tx, &list[i])
		if err == nil {
			r.ID = &o.ID
		}
		return r, err
	}), nil
}

func destroyManyOrganizations(tx *twin.Tx, p *destroyManyParams) (twin.Doc, *twin.Error) {
	return destroyMany(tx, "Bulk Delete Organization", p, func(id string) *twin.Error {
		_, err := deleteOrganization(tx, &recordPath{ID: id})
		return err
	})
}

type manyGroupMembershipsParams struct {
	Memberships twin.Opt[[]groupMembershipParams] `param:"group_memberships" rule:"required"`
}

func createManyGroupMemberships(tx *twin.Tx, p *manyGroupMembershipsParams) (twin.Doc, *twin.Error) {
	list := p.Memberships.V
	if len(list) > bulkMax {
		return twin.Doc{}, errTooManyIDs()
	}
	return run(tx, "Bulk Create Membership", len(list), func(i int) (jobResult, *twin.Error) {
		r := creates(i)
		id, err := makeGroupMembership(tx, &list[i])
		r.ID = idOrNull(id)
		return r, err
	}), nil
}

func destroyManyGroupMemberships(tx *twin.Tx, p *destroyManyParams) (twin.Doc, *twin.Error) {
	return destroyMany(tx, "Bulk Delete Membership", p, func(id string) *twin.Error {
		_, err := deleteGroupMembership(tx, &recordPath{ID: id})
		return err
	})
}

type manyOrganizationMembershipsParams struct {
	Memberships twin.Opt[[]organizationMembershipParams] `param:"organization_memberships" rule:"required"`
}

func createManyOrganizationMemberships(tx *twin.Tx, p *manyOrganizationMembershipsParams) (twin.Doc, *twin.Error) {
	list := p.Memberships.V
	if len(list) > bulkMax {
		return twin.Doc{}, errTooManyIDs()
	}
	return run(tx, "Bulk Create Organization Membership", len(list), func(i int) (jobResult, *twin.Error) {
		r := creates(i)
		id, err := makeOrganizationMembership(tx, &list[i])
		r.ID = idOrNull(id)
		return r, err
	}), nil
}

func destroyManyOrganizationMemberships(tx *twin.Tx, p *destroyManyParams) (twin.Doc, *twin.Error) {
	return destroyMany(tx, "Bulk Delete Organization Membership", p, func(id string) *twin.Error {
		_, err := deleteOrganizationMembership(tx, &recordPath{ID: id})
		return err
	})
}
