package admin

import (
	"context"
	"errors"
	"sync"

	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"google.golang.org/protobuf/proto"
)

// How long and how many results are kept. HBase forgets a result once it was
// read; some clients ask twice.
const (
	procedureKeepMs = 15 * 60 * 1000
	procedureKeep   = 10000
)

// procedure is one change that a client asked for.
type procedure struct {
	id        uint64
	nonce     nonceKey
	submitted int64

	done chan struct{} // closed when the following are set
	// finished is when it ended.
	finished int64
	// refused came back from the call: there is no procedure to ask for.
	refused error
	// failure is the result of a procedure that failed.
	failure *rpc.Error
}

// nonceKey names one request of one client: its retries have the same.
type nonceKey struct{ group, nonce uint64 }

// procedures remembers results by id and by nonce, for a while.
type procedures struct {
	clock func() int64

	mu      sync.Mutex
	last    uint64
	byID    map[uint64]*procedure
	byNonce map[nonceKey]*procedure
	order   []*procedure // oldest first
}

func newProcedures(clock func() int64) *procedures {
	return &procedures{
		clock: clock,
		// Ids of an earlier process are smaller: they are unknown here, not
		// some other procedure's.
		last:    uint64(max(clock(), 1)),
		byID:    map[uint64]*procedure{},
		byNonce: map[nonceKey]*procedure{},
	}
}

// run runs change as a procedure and returns its id. What change returns comes
// back from run, unless it is a *failed: then the procedure has failed, and the
// client learns it by asking for the result. A request with the nonce of an
// earlier one gets that one's outcome, and waits for it if need be.
func (p *procedures) run(ctx context.Context, group, nonce uint64, change func() error) (*uint64, error) {
	n, known := p.start(nonceKey{group, nonce})
	if known {
		select {
		case <-n.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return proto.Uint64(n.id), n.refused
	}
	// What a panic leaves behind is no success.
	n.refused = errUnfinished
	defer close(n.done)
	err := change()
	n.finished = p.clock()
	if f, ok := err.(*failed); ok {
		n.failure = translate(f.error)
		err = nil
	}
	n.refused = err
	return proto.Uint64(n.id), err
}

var errUnfinished = errors.New("admin: the change did not finish")

// failed marks an error as the result of a procedure.
type failed struct{ error }

func (p *procedures) start(key nonceKey) (n *procedure, known bool) {
	now := p.clock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(now)
	if n := p.byNonce[key]; n != nil && key.nonce != 0 {
		return n, true
	}
	p.last++
	n = &procedure{id: p.last, nonce: key, submitted: now, done: make(chan struct{})}
	p.byID[n.id] = n
	if key.nonce != 0 {
		p.byNonce[key] = n
	}
	p.order = append(p.order, n)
	return n, false
}

// forget drops what is too old or too much. p.mu is held.
func (p *procedures) forget(now int64) {
	i := 0
	for ; i < len(p.order); i++ {
		n := p.order[i]
		if len(p.order)-i < procedureKeep && now-n.submitted < procedureKeepMs {
			break
		}
		select {
		case <-n.done:
		default:
			// Still running: keep it and all that came later.
			p.order = p.order[i:]
			return
		}
		delete(p.byID, n.id)
		if p.byNonce[n.nonce] == n {
			delete(p.byNonce, n.nonce)
		}
	}
	p.order = p.order[i:]
}

func (p *procedures) find(id uint64) *procedure {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.byID[id]
}

func (a *Admin) addProcedures(s rpc.Service) {
	s["getProcedureResult"] = quick(a.getProcedureResult)
	s["AbortProcedure"] = quick(a.abortProcedure)
	s["GetProcedures"] = quick(none)
	s["GetLocks"] = quick(none)
	s["ExecProcedure"] = slow(a.execProcedure)
	s["ExecProcedureWithRet"] = slow(a.execProcedure)
	s["IsProcedureDone"] = quick(a.isProcedureDone)
}

// none answers with an empty list: no procedure and no lock outlives its call.
func none(context.Context, *adminpb.Empty) (*adminpb.Empty, error) { return &adminpb.Empty{}, nil }

func (a *Admin) getProcedureResult(_ context.Context, q *adminpb.GetProcedureResultRequest) (*adminpb.GetProcedureResultResponse, error) {
	n := a.procedures.find(q.GetProcId())
	if n == nil {
		return &adminpb.GetProcedureResultResponse{State: adminpb.GetProcedureResultResponse_NOT_FOUND.Enum()}, nil
	}
	r := &adminpb.GetProcedureResultResponse{
		State:         adminpb.GetProcedureResultResponse_RUNNING.Enum(),
		SubmittedTime: proto.Uint64(uint64(n.submitted)),
		LastUpdate:    proto.Uint64(uint64(n.submitted)),
	}
	select {
	case <-n.done:
	default:
		return r, nil
	}
	r.State = adminpb.GetProcedureResultResponse_FINISHED.Enum()
	r.LastUpdate = proto.Uint64(uint64(n.finished))
	failure := n.failure
	if n.refused != nil {
		failure = translate(n.refused)
	}
	if failure != nil {
		r.Exception = &adminpb.ForeignExceptionMessage{
			Source: proto.String("basalt"),
			GenericException: &adminpb.GenericExceptionMessage{
				ClassName: proto.String(failure.Class),
				Message:   proto.String(failure.Message),
			},
		}
	}
	return r, nil
}

// abortProcedure never aborts: a procedure is over as soon as its id is known.
func (a *Admin) abortProcedure(context.Context, *adminpb.AbortProcedureRequest) (*adminpb.AbortProcedureResponse, error) {
	return &adminpb.AbortProcedureResponse{IsProcedureAborted: proto.Bool(false)}, nil
}

// flushProcedure is how clients before 2.6 flush a table.
const flushProcedure = "flush-table-proc"

// flushTimeoutMs is the longest that a client should wait for a flush. It is
// done when the call returns, but clients divide by this.
const flushTimeoutMs = 60000

func (a *Admin) execProcedure(ctx context.Context, q *adminpb.ExecProcedureRequest) (*adminpb.ExecProcedureResponse, error) {
	p := q.GetProcedure()
	if err := checkRegistered(p); err != nil {
		return nil, err
	}
	var families [][]byte
	for _, c := range p.GetConfiguration() {
		if c.GetName() == "family" {
			families = append(families, []byte(c.GetValue()))
		}
	}
	if err := a.flush(ctx, tableNamed(p.GetInstance()), families); err != nil {
		return nil, err
	}
	return &adminpb.ExecProcedureResponse{ExpectedTimeout: proto.Int64(flushTimeoutMs)}, nil
}

func (a *Admin) isProcedureDone(_ context.Context, q *adminpb.IsProcedureDoneRequest) (*adminpb.IsProcedureDoneResponse, error) {
	if err := checkRegistered(q.GetProcedure()); err != nil {
		return nil, err
	}
	return &adminpb.IsProcedureDoneResponse{Done: proto.Bool(true)}, nil
}

func checkRegistered(p *adminpb.ProcedureDescription) error {
	if p.GetSignature() != flushProcedure {
		return rpc.Errorf(classDoNotRetry, "The procedure is not registered: %s", p.GetSignature())
	}
	return nil
}
