package webhook

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
)

// Allow says where a server may send: to addresses of this machine (loopback), and
// to the hosts it lists. It may never send to itself.
type Allow struct {
	// Hosts are more places to send to: a name or address, with or without a port;
	// * is everywhere.
	Hosts []string
	// Self are the server's own addresses, host:port.
	Self []string
}

// errForbidden says that a server may not send somewhere.
var errForbidden = errors.New("sending there is not allowed")

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
	listed := slices.Contains(a.Hosts, "*") || slices.Contains(a.Hosts, host) || slices.Contains(a.Hosts, address)
	var last error = errForbidden
	for _, ip := range ips {
		to := netip.AddrPortFrom(ip.Unmap(), uint16(number))
		if !listed && !to.Addr().IsLoopback() || a.itself(to) {
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

// itself reports whether an address is one of the server's own.
func (a *Allow) itself(to netip.AddrPort) bool {
	for _, text := range a.Self {
		own, err := netip.ParseAddrPort(text)
		if err != nil || own.Port() != to.Port() {
			continue
		}
		ip := own.Addr().Unmap()
		if ip == to.Addr() || ip.IsUnspecified() || ip.IsLoopback() && to.Addr().IsLoopback() || to.Addr().IsUnspecified() {
			return true
		}
	}
	return false
}
