// Shows the command line: what it prints, its exit codes, and a served process
// from start to signal. Such a process is this test binary, told by the
// environment to be basalt.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const beBasalt = "TEST_BE_BASALT"

func TestMain(m *testing.M) {
	if os.Getenv(beBasalt) != "" {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestCommands(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	all := []string{"serve", "--data=" + t.TempDir(), "--zk-listen=127.0.0.1:0", "--master-listen=127.0.0.1:0", "--hbase-listen=127.0.0.1:0", "--mysql-listen=127.0.0.1:0"}
	for _, f := range []struct {
		args      []string
		code      int
		out, errs string
	}{
		{nil, exitUsage, "", "basalt serve [flags]"},
		{[]string{"version"}, exitOK, "basalt " + release, ""},
		{[]string{"help"}, exitOK, "basalt serve [flags]", ""},
		{[]string{"serv"}, exitUsage, "", `unknown command "serv" (did you mean serve?)`},
		{[]string{"serve", "--help"}, exitOK, "--zk-listen", ""},
		{[]string{"serve", "--print-config", "--sync=os"}, exitOK, "\nsync = \"os\"\n", ""},
		{[]string{"serve", "--print-config", "--max-scanners=0"}, exitUsage, "", "--max-scanners 0"},
		{[]string{"serve", "--zk-lisen=off"}, exitUsage, "", "did you mean --zk-listen?"},
		{[]string{"serve", "--mysql-tls-cert=c.pem"}, exitUsage, "", "--mysql-tls-key"},
		{[]string{"serve", "--hbase-listen=0.0.0.0:0"}, exitUsage, "", "--insecure-public"},
		{append(all, "--http-listen="+taken.Addr().String()), exitFailed, "", "--http-listen " + taken.Addr().String() + ": the port is taken"},
	} {
		var out, errs bytes.Buffer
		if code := run(f.args, &out, &errs); code != f.code {
			t.Errorf("%q: code %d, %s", f.args, code, errs.String())
		}
		if !strings.Contains(out.String(), f.out) || !strings.Contains(errs.String(), f.errs) {
			t.Errorf("%q: %q, %q", f.args, out.String(), errs.String())
		}
	}
}

// process is a served basalt.
type process struct {
	*exec.Cmd
	http string
	out  *bufio.Reader
}

func start(t *testing.T, dir string, flags ...string) *process {
	t.Helper()
	args := append([]string{"serve", "--data", dir, "--zk-listen=127.0.0.1:0", "--master-listen=127.0.0.1:0",
		"--hbase-listen=127.0.0.1:0", "--mysql-listen=127.0.0.1:0", "--http-listen=127.0.0.1:0", "--disk-reserve=0B"}, flags...)
	p := &process{Cmd: exec.Command(os.Args[0], args...)}
	p.Env = append(os.Environ(), beBasalt+"=1")
	p.Stderr = os.Stderr
	stdout, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	p.out = bufio.NewReader(stdout)
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			t.Fatalf("basalt ended before it said where it is: %v", err)
		}
		if m := regexp.MustCompile(`http://([^/]+)/`).FindStringSubmatch(line); m != nil {
			p.http = m[1]
			return p
		}
	}
}

func (p *process) get(path string) (int, string) {
	r, err := http.Get("http://" + p.http + path)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(b)
}

// ready waits for /readyz.
func (p *process) ready(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if code, _ := p.get("/readyz"); code == http.StatusOK {
			return
		}
	}
	t.Fatal("never ready")
}

func TestServeAndSignals(t *testing.T) {
	dir := t.TempDir()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := start(t, dir)
		p.ready(t)
		if code, body := p.get("/healthz"); code != http.StatusOK {
			t.Errorf("/healthz: %d %s", code, body)
		}
		p.Process.Signal(sig)
		rest, _ := io.ReadAll(p.out)
		if err := p.Wait(); err != nil {
			t.Errorf("after %v: %v", sig, err)
		}
		for _, want := range []string{"hbase.zookeeper.quorum", "hbase.client.bootstrap.servers", "gohbase.NewClient", "mysql --host", "draining"} {
			if !strings.Contains(string(rest), want) {
				t.Errorf("no %q in what it printed", want)
			}
		}
	}
	// kill -9, and the directory is free for the next one.
	p := start(t, dir)
	p.ready(t)
	p.Process.Kill()
	p.Wait()
	start(t, dir).ready(t)
}

func TestDataDirectoryInUse(t *testing.T) {
	dir := t.TempDir()
	start(t, dir).ready(t)
	var out, errs bytes.Buffer
	code := run([]string{"serve", "--data", dir, "--zk-listen=127.0.0.1:0", "--master-listen=127.0.0.1:0",
		"--hbase-listen=127.0.0.1:0", "--mysql-listen=off", "--http-listen=off"}, &out, &errs)
	if want := fmt.Sprintf("--data %s", dir); code != exitFailed || !strings.Contains(errs.String(), want) ||
		!strings.Contains(errs.String(), "in use") {
		t.Errorf("code %d, %s", code, errs.String())
	}
}
