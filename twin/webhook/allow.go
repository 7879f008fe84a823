package webhook

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Allow says where a server may send: to addresses of its own machine (loopback),
// and to the hosts it lists. It may never send to itself.
type Allow struct {
	// Hosts are more places to send to: a name or address, with or without a port;
	// * is everywhere.
	Hosts []string
	// Ports are those on which the server itself listens; nil: on none.
	Ports func() []uint16
}

// errForbidden says that a server may not send somewhere.
var errForbidden = errors.New("sending there is not allowed")

// Hopeful reports whether sending to a host could be allowed, as far as can be told
// without looking up its name. host is with the port, if there is one.
func (a *Allow) Hopeful(name, host string) bool {
	ip, err := netip.ParseAddr(name)
	return err != nil || ip.IsLoopback() || a.lists(name, host)
}

// Certain reports whether sending to a host is allowed whatever its name stands for.
func (a *Allow) Certain(name, host string) bool {
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback() || name == "localhost" || strings.HasSuffix(name, ".localhost") || a.lists(name, host)
}

// Own reports whether a host and port are the server itself, as far as can be told
// without looking up a name.
func (a *Allow) Own(name, port string) bool {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(name)
	if name == "localhost" {
		ip, err = netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	return err == nil && a.itself(netip.AddrPortFrom(ip.Unmap(), uint16(number)))
}

func (a *Allow) lists(names ...string) bool {
	return slices.ContainsFunc(a.Hosts, func(h string) bool { return h == "*" || slices.Contains(names, h) })
}

// dial connects to an address if it may.
func (a *Allow) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, errForbidden
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	last := errForbidden
	for _, ip := range ips {
		to := netip.AddrPortFrom(ip.Unmap(), uint16(number))
		if !to.Addr().IsLoopback() && !a.lists(host, address) || a.itself(to) {
			continue
		}
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, network, to.String())
		if err == nil {
			return conn, nil
		}
		last = err
	}
	return nil, last
}

// itself reports whether an address may be one of the server's own: a port of its
// on an address of this machine.
func (a *Allow) itself(to netip.AddrPort) bool {
	if a.Ports == nil || !slices.Contains(a.Ports(), to.Port()) {
		return false
	}
	if to.Addr().IsLoopback() || to.Addr().IsUnspecified() {
		return true
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return true // it cannot be told: rather not
	}
	return slices.ContainsFunc(own, func(n net.Addr) bool {
		ip, ok := n.(*net.IPNet)
		return ok && ip.IP.Equal(to.Addr().AsSlice())
	})
}
