package zk

import (
	"fmt"
	"strings"
	"time"
)

// refusedWords are ZooKeeper's other four-letter words. They are told apart from
// frames so that whoever types one gets an answer.
const refusedWords = " conf cons crst dirs dump envi gtmk hash lead stmk srst wchc wchp wchs "

// fourLetterWord answers what people and monitoring send raw, in place of a
// frame.
func (s *Server) fourLetterWord(word string) (answer string, ok bool) {
	switch word {
	case "ruok":
		return "imok", true
	case "isro":
		return "ro", true
	case "stat":
		return s.version() + s.clients() + s.counters(), true
	case "srvr":
		return s.version() + s.counters(), true
	case "mntr":
		return s.monitor(), true
	}
	if strings.Contains(refusedWords, " "+word+" ") {
		return word + " is not executed because it is not in the whitelist.\n", true
	}
	return "", false
}

// version says first what tools look for, a ZooKeeper version that speaks this
// protocol, and then the truth.
func (s *Server) version() string {
	return fmt.Sprintf("Zookeeper version: 3.8.0-basalt, Basalt %s, up since %s\n",
		s.Version, s.started.UTC().Format(time.RFC3339))
}

func (s *Server) clients() string {
	var b strings.Builder
	b.WriteString("Clients:\n")
	s.mu.Lock()
	for c := range s.conns {
		fmt.Fprintf(&b, " /%s\n", c.net.RemoteAddr())
	}
	s.mu.Unlock()
	b.WriteString("\n")
	return b.String()
}

func (s *Server) counters() string {
	st := s.Stats()
	return fmt.Sprintf("Received: %d\nSent: %d\nConnections: %d\nOutstanding: 0\nZxid: 0x%x\nMode: standalone\nNode count: %d\n",
		st.Received, st.Sent, st.Connections, s.Zxid, countNodes(s.Tree, "/"))
}

func (s *Server) monitor() string {
	st := s.Stats()
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "zk_%s\t%v\n", name, value) }
	line("version", "3.8.0-basalt, Basalt "+s.Version)
	line("server_state", "standalone")
	line("uptime", time.Since(s.started).Milliseconds())
	line("num_alive_connections", st.Connections)
	line("packets_received", st.Received)
	line("packets_sent", st.Sent)
	line("connection_rejected", st.RefusedConnects)
	line("outstanding_requests", 0)
	line("znode_count", countNodes(s.Tree, "/"))
	return b.String()
}

func countNodes(t Tree, path string) int {
	n, ok := t.Node(path)
	if !ok {
		return 0
	}
	count := 1
	for _, name := range n.Children {
		count += countNodes(t, strings.TrimSuffix(path, "/")+"/"+name)
	}
	return count
}
