package zendesk

import "worlds/twin"

// Name is the catalog's name: in commands, events and fault rules.
const Name = "zendesk"

// Catalog is the Zendesk twin as a table. The order is the order in which a
// seed's sections are filled.
func Catalog() *twin.Catalog {
	return twin.NewCatalog(Name, dialect(), wire(),
		accountAPI(),
		groupAPI(),
		organizationAPI(),
		userAPI(),
		groupMembershipAPI(),
		organizationMembershipAPI(),
		ticketAPI(),
		bulkAPI(),
		peopleBulkAPI(),
		lifeAPI(),
		commentAPI(),
		auditAPI(),
		tagAPI(),
		jobAPI(),
		searchAPI(),
		incrementalAPI(),
	)
}
