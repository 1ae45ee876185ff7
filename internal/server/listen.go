package server

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
)

// listeners are the open doors' sockets; nil where a door is closed.
type listeners struct {
	zk, master, hbase, mysql, http net.Listener
	mysqlSocket                    net.Listener
}

// listen binds every open door, or none.
func listen(c *Config) (l listeners, err error) {
	targets := []*net.Listener{&l.zk, &l.master, &l.hbase, &l.mysql, &l.http}
	for i, d := range c.doors() {
		if d.address == Off {
			continue
		}
		if *targets[i], err = net.Listen("tcp", d.address); err != nil {
			l.close()
			return listeners{}, listenError(d, err)
		}
	}
	if c.MySQLSocket != "" {
		if l.mysqlSocket, err = listenSocket(c.MySQLSocket); err != nil {
			l.close()
			return listeners{}, fmt.Errorf("--mysql-socket %s: %w", c.MySQLSocket, err)
		}
	}
	return l, nil
}

// listenSocket binds a Unix socket. One that an earlier run left behind is taken
// over; one that is in use is not.
func listenSocket(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return l, err
	}
	if c, e := net.Dial("unix", path); e == nil {
		c.Close()
		return nil, errors.New("another server uses it")
	}
	if info, e := os.Lstat(path); e != nil || info.Mode()&os.ModeSocket == 0 {
		return nil, errors.New("there is a file of that name that is no socket")
	}
	if err := os.Remove(path); err != nil {
		return nil, fmt.Errorf("remove what an earlier run left: %w", err)
	}
	return net.Listen("unix", path)
}

func listenError(d door, err error) error {
	var address *net.AddrError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("--%s %s: the port is taken by another process (another Basalt, or a ZooKeeper, HBase or MySQL?): "+
			"stop it, or choose another port, 0 for any free one, or off", d.setting, d.address)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("--%s %s: not allowed to use this port", d.setting, d.address)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("--%s %s: this machine does not have that address", d.setting, d.address)
	case errors.As(err, &address):
		return usagef("--%s %s: %s", d.setting, d.address, address.Err)
	}
	return fmt.Errorf("--%s %s: %w", d.setting, d.address, err)
}

func (l *listeners) close() {
	for _, x := range []net.Listener{l.zk, l.master, l.hbase, l.mysql, l.http, l.mysqlSocket} {
		if x != nil {
			x.Close()
		}
	}
}

// Address is where a door is found by clients.
type Address struct {
	Host string
	Port int
}

func (a Address) String() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }

// Addresses are the doors as clients are told of them; the zero Address where
// one is closed.
type Addresses struct {
	ZK, Master, HBase, MySQL, HTTP Address
}

func (l *listeners) addresses(advertise string) (a Addresses, err error) {
	for _, d := range []struct {
		to   *Address
		from net.Listener
	}{
		{&a.ZK, l.zk}, {&a.Master, l.master}, {&a.HBase, l.hbase}, {&a.MySQL, l.mysql}, {&a.HTTP, l.http},
	} {
		if d.from == nil {
			continue
		}
		at := d.from.Addr().(*net.TCPAddr)
		host := advertise
		if host == "" {
			if host, err = hostOf(at.IP); err != nil {
				return a, err
			}
		}
		*d.to = Address{host, at.Port}
	}
	return a, nil
}

// hostOf is the name under which clients find a listening address. HBase's text
// forms are host:port and host,port,startcode, into which no IPv6 address fits.
func hostOf(ip net.IP) (string, error) {
	switch {
	case ip.IsUnspecified():
		return os.Hostname()
	case ip.To4() != nil:
		return ip.String(), nil
	case ip.IsLoopback():
		return "localhost", nil
	}
	return "", usagef("clients cannot be told the address %s: set --advertise-host to a name for it", ip)
}

// limit bounds the connections that are open at once: further ones wait to be
// accepted.
type limit struct {
	net.Listener
	slots chan struct{}
	done  chan struct{}
	once  sync.Once
}

func limitConnections(l net.Listener, n int) net.Listener {
	return &limit{Listener: l, slots: make(chan struct{}, n), done: make(chan struct{})}
}

func (l *limit) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limited{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

func (l *limit) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

type limited struct {
	net.Conn
	free func()
}

func (c *limited) Close() error {
	defer c.free()
	return c.Conn.Close()
}
