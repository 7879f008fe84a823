package admin

import "worlds/twin/world"

// Worlds lists the worlds as GET /admin/worlds does. It wakes none of them.
func (s *Server) Worlds() []WorldInfo {
	r := s.registry
	r.mu.RLock()
	defer r.mu.RUnlock()
	list := make([]WorldInfo, 0, len(r.order))
	for _, e := range r.order {
		list = append(list, s.info(e))
	}
	return list
}

// World returns a world by id or name; the error is a *Problem.
func (s *Server) World(ref string) (*world.World, error) {
	e, p := s.registry.find(ref)
	if p != nil {
		return nil, p
	}
	return e.world, nil
}
