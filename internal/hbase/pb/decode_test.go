package pb

// Every decoder must read out of random messages what google's does. One struct
// is reused for all of them: nothing of an earlier message may stay.

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb/pbtest"
)

// checker collects the differences of one message.
type checker struct {
	t    *testing.T
	path string
}

func (c checker) eq(name string, got, want any) {
	c.t.Helper()
	if g, ok := got.([]byte); ok {
		w := []byte(nil)
		switch x := want.(type) {
		case []byte:
			w = x
		case string:
			w = []byte(x)
		}
		if !bytes.Equal(g, w) {
			c.t.Errorf("%s.%s = %q, want %q", c.path, name, g, w)
		}
		return
	}
	if !reflect.DeepEqual(got, want) {
		c.t.Errorf("%s.%s = %v, want %v", c.path, name, got, want)
	}
}

func (c checker) region(got Region, want *pbtest.RegionSpecifier) {
	c.eq("type", got.Type, uint32(want.GetType()))
	c.eq("value", got.Value, want.GetValue())
}

func (c checker) timeRange(got TimeRange, want *pbtest.TimeRange) {
	lo, hi := int64(want.GetFrom()), int64(math.MaxInt64)
	if want != nil && want.To != nil {
		hi = int64(want.GetTo())
	}
	c.eq("min", got.Min, lo)
	c.eq("max", got.Max, hi)
}

func (c checker) attributes(got Attributes, want []*pbtest.NameBytesPair) {
	c.eq("attributes", len(got), len(want))
	for i := range min(len(got), len(want)) {
		c.eq("attribute name", got[i].Name, want[i].GetName())
		c.eq("attribute value", got[i].Value, want[i].GetValue())
	}
}

func (c checker) columns(got []Column, want []*pbtest.Column) {
	c.eq("columns", len(got), len(want))
	for i := range min(len(got), len(want)) {
		c.eq("family", got[i].Family, want[i].GetFamily())
		c.eq("qualifiers", len(got[i].Qualifiers), len(want[i].GetQualifier()))
		for j, q := range want[i].GetQualifier() {
			c.eq("qualifier", got[i].Qualifiers[j], q)
		}
	}
}

func (c checker) familyTimeRanges(got []FamilyTimeRange, want []*pbtest.ColumnFamilyTimeRange) {
	c.eq("family time ranges", len(got), len(want))
	for i := range min(len(got), len(want)) {
		c.eq("family", got[i].Family, want[i].GetColumnFamily())
		c.timeRange(got[i].TimeRange, want[i].GetTimeRange())
	}
}

func (c checker) filter(got Named, has bool, want *pbtest.Filter) {
	c.eq("has filter", has, want != nil)
	c.eq("filter name", got.Name, want.GetName())
	c.eq("filter data", got.Data, want.GetSerializedFilter())
}

func (c checker) get(got *Get, want *pbtest.Get) {
	c.eq("row", got.Row, want.GetRow())
	c.columns(got.Columns, want.GetColumn())
	c.attributes(got.Attributes, want.GetAttribute())
	c.filter(got.Filter, got.HasFilter, want.GetFilter())
	c.eq("has time range", got.HasTimeRange, want.GetTimeRange() != nil)
	c.timeRange(got.TimeRange, want.GetTimeRange())
	c.eq("max versions", got.MaxVersions, want.GetMaxVersions())
	c.eq("cache blocks", got.CacheBlocks, want.GetCacheBlocks())
	c.eq("store limit", got.StoreLimit, want.GetStoreLimit())
	c.eq("has store limit", got.HasStoreLimit, want.StoreLimit != nil)
	c.eq("store offset", got.StoreOffset, want.GetStoreOffset())
	c.eq("existence only", got.ExistenceOnly, want.GetExistenceOnly())
	c.eq("closest row before", got.ClosestRowBefore, want.GetClosestRowBefore())
	c.eq("consistency", got.Consistency, uint32(want.GetConsistency()))
	c.familyTimeRanges(got.FamilyTimeRanges, want.GetCfTimeRange())
	c.eq("load on demand", got.LoadOnDemand, want.GetLoadColumnFamiliesOnDemand())
	c.eq("has load on demand", got.HasLoadOnDemand, want.LoadColumnFamiliesOnDemand != nil)
	c.eq("query metrics", got.QueryMetrics, want.GetQueryMetricsEnabled())
}

func (c checker) scan(got *Scan, want *pbtest.Scan) {
	c.columns(got.Columns, want.GetColumn())
	c.attributes(got.Attributes, want.GetAttribute())
	c.eq("start", got.StartRow, want.GetStartRow())
	c.eq("stop", got.StopRow, want.GetStopRow())
	c.filter(got.Filter, got.HasFilter, want.GetFilter())
	c.eq("has time range", got.HasTimeRange, want.GetTimeRange() != nil)
	c.timeRange(got.TimeRange, want.GetTimeRange())
	c.eq("max versions", got.MaxVersions, want.GetMaxVersions())
	c.eq("cache blocks", got.CacheBlocks, want.GetCacheBlocks())
	c.eq("batch", got.BatchSize, want.GetBatchSize())
	c.eq("max result size", got.MaxResultSize, want.GetMaxResultSize())
	c.eq("has max result size", got.HasMaxResultSize, want != nil && want.MaxResultSize != nil)
	c.eq("store limit", got.StoreLimit, want.GetStoreLimit())
	c.eq("has store limit", got.HasStoreLimit, want != nil && want.StoreLimit != nil)
	c.eq("store offset", got.StoreOffset, want.GetStoreOffset())
	c.eq("load on demand", got.LoadOnDemand, want.GetLoadColumnFamiliesOnDemand())
	c.eq("has load on demand", got.HasLoadOnDemand, want != nil && want.LoadColumnFamiliesOnDemand != nil)
	c.eq("small", got.Small, want.GetSmall())
	c.eq("reversed", got.Reversed, want.GetReversed())
	c.eq("consistency", got.Consistency, uint32(want.GetConsistency()))
	c.eq("caching", got.Caching, want.GetCaching())
	c.eq("has caching", got.HasCaching, want != nil && want.Caching != nil)
	c.eq("allow partials", got.AllowPartials, want.GetAllowPartialResults())
	c.familyTimeRanges(got.FamilyTimeRanges, want.GetCfTimeRange())
	c.eq("read point", got.ReadPoint, want.GetMvccReadPoint())
	c.eq("include start", got.IncludeStart, want.GetIncludeStartRow())
	c.eq("has include start", got.HasIncludeStart, want != nil && want.IncludeStartRow != nil)
	c.eq("include stop", got.IncludeStop, want.GetIncludeStopRow())
	c.eq("has include stop", got.HasIncludeStop, want != nil && want.IncludeStopRow != nil)
	c.eq("read type", got.ReadType, uint32(want.GetReadType()))
	c.eq("need cursor", got.NeedCursor, want.GetNeedCursorResult())
	c.eq("query metrics", got.QueryMetrics, want.GetQueryMetricsEnabled())
}

func (c checker) condition(got *Condition, has bool, want *pbtest.Condition) {
	c.eq("has condition", has, want != nil)
	if want == nil {
		return
	}
	c.eq("row", got.Row, want.GetRow())
	c.eq("family", got.Family, want.GetFamily())
	c.eq("qualifier", got.Qualifier, want.GetQualifier())
	c.eq("compare type", got.CompareType, uint32(want.GetCompareType()))
	c.eq("has comparator", got.HasComparator, want.GetComparator() != nil)
	c.eq("comparator name", got.Comparator.Name, want.GetComparator().GetName())
	c.eq("comparator", got.Comparator.Data, want.GetComparator().GetSerializedComparator())
	c.eq("has time range", got.HasTimeRange, want.GetTimeRange() != nil)
	c.timeRange(got.TimeRange, want.GetTimeRange())
	c.filter(got.Filter, got.HasFilter, want.GetFilter())
}

func (c checker) mutation(got *Mutation, want *pbtest.MutationProto) {
	c.eq("row", got.Row, want.GetRow())
	c.eq("has row", got.HasRow, want.Row != nil)
	c.eq("type", got.Type, uint32(want.GetMutateType()))
	c.eq("timestamp", got.Timestamp, int64(want.GetTimestamp()))
	c.eq("has timestamp", got.HasTimestamp, want.Timestamp != nil)
	c.attributes(got.Attributes, want.GetAttribute())
	c.eq("durability", got.Durability, uint32(want.GetDurability()))
	c.eq("has time range", got.HasTimeRange, want.GetTimeRange() != nil)
	c.timeRange(got.TimeRange, want.GetTimeRange())
	c.eq("cell count", got.CellCount, want.GetAssociatedCellCount())
	c.eq("has cell count", got.HasCellCount, want.AssociatedCellCount != nil)
	c.eq("nonce", got.Nonce, want.GetNonce())
	c.eq("has nonce", got.HasNonce, want.Nonce != nil)
	c.eq("has values", got.HasValues, len(want.GetColumnValue()) > 0)
	it := got.Values()
	var v Value
	for _, cv := range want.GetColumnValue() {
		for _, q := range cv.GetQualifierValue() {
			if !it.Next(&v) {
				c.t.Errorf("%s: values end early: %v", c.path, it.Err())
				return
			}
			c.eq("family", v.Family, cv.GetFamily())
			c.eq("qualifier", v.Qualifier, q.GetQualifier())
			c.eq("has qualifier", v.HasQualifier, q.Qualifier != nil)
			c.eq("value", v.Value, q.GetValue())
			c.eq("has value", v.HasValue, q.Value != nil)
			c.eq("timestamp", v.Timestamp, int64(q.GetTimestamp()))
			c.eq("has timestamp", v.HasTimestamp, q.Timestamp != nil)
			c.eq("delete type", v.DeleteType, uint32(q.GetDeleteType()))
			c.eq("has delete type", v.HasDeleteType, q.DeleteType != nil)
			c.eq("tags", v.Tags, q.GetTags())
		}
	}
	if it.Next(&v) || it.Err() != nil {
		c.t.Errorf("%s: values do not end: %v", c.path, it.Err())
	}
}

func (c checker) call(got *CoprocessorCall, want *pbtest.CoprocessorServiceCall) {
	c.eq("row", got.Row, want.GetRow())
	c.eq("service", got.Service, want.GetServiceName())
	c.eq("method", got.Method, want.GetMethodName())
	c.eq("request", got.Request, want.GetRequest())
}

// each runs check on random messages of one kind.
func each[M proto.Message](t *testing.T, new func() M, check func(c checker, b []byte, m M)) {
	t.Helper()
	r := newRand(t)
	for i := 0; i < 500 && !t.Failed(); i++ {
		m := new()
		fill(r, m.ProtoReflect(), 0)
		check(checker{t, fmt.Sprint(i)}, marshal(t, m), m)
	}
}

func (c checker) ok(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Errorf("%s: %v", c.path, err)
	}
}

func TestDecodeHeaders(t *testing.T) {
	var h RequestHeader
	each(t, func() *pbtest.RequestHeader { return new(pbtest.RequestHeader) }, func(c checker, b []byte, m *pbtest.RequestHeader) {
		c.ok(h.Decode(b))
		c.eq("call id", h.CallID, m.GetCallId())
		c.eq("has call id", h.HasCallID, m.CallId != nil)
		c.eq("method", h.Method, m.GetMethodName())
		c.eq("request param", h.RequestParam, m.GetRequestParam())
		c.eq("cell block", h.HasCellBlock, m.GetCellBlockMeta() != nil)
		c.eq("cell block length", h.CellBlockLength, m.GetCellBlockMeta().GetLength())
		c.eq("priority", h.Priority, m.GetPriority())
		c.eq("timeout", h.TimeoutMS, m.GetTimeout())
		c.eq("has timeout", h.HasTimeout, m.Timeout != nil)
	})
	var ch ConnectionHeader
	each(t, func() *pbtest.ConnectionHeader { return new(pbtest.ConnectionHeader) }, func(c checker, b []byte, m *pbtest.ConnectionHeader) {
		c.ok(ch.Decode(b))
		c.eq("user", ch.EffectiveUser, m.GetUserInfo().GetEffectiveUser())
		c.eq("real user", ch.RealUser, m.GetUserInfo().GetRealUser())
		c.eq("service", ch.Service, m.GetServiceName())
		c.eq("codec", ch.Codec, m.GetCellBlockCodecClass())
		c.eq("compressor", ch.Compressor, m.GetCellBlockCompressorClass())
		c.eq("cipher", ch.CryptoCipher, m.GetRpcCryptoCipherTransformation())
		v := m.GetVersionInfo()
		c.eq("has version", ch.HasVersion, v != nil)
		c.eq("version", ch.Version, v.GetVersion())
		if v != nil && v.VersionMajor != nil && v.VersionMinor != nil {
			c.eq("major", ch.VersionMajor, v.GetVersionMajor())
			c.eq("minor", ch.VersionMinor, v.GetVersionMinor())
		}
	})
}

func TestVersionNumbers(t *testing.T) {
	f := func(s string, major, minor uint32) {
		t.Helper()
		if a, b := versionNumbers(s); a != major || b != minor {
			t.Errorf("%q reads as %d.%d", s, a, b)
		}
	}
	f("2.6.1", 2, 6)
	f("3.0.0-beta-1", 3, 0)
	f("1.3-SNAPSHOT", 1, 3)
	f("", 0, 0)
	f("next.4", 0, 4)
	f("99999999.1", 0, 1)
}

func TestDecodeGetRequest(t *testing.T) {
	var r GetRequest
	each(t, func() *pbtest.GetRequest { return &pbtest.GetRequest{Get: new(pbtest.Get)} }, func(c checker, b []byte, m *pbtest.GetRequest) {
		c.ok(r.Decode(b))
		c.region(r.Region, m.GetRegion())
		c.get(&r.Get, m.GetGet())
	})
}

func TestDecodeMutateRequest(t *testing.T) {
	var r MutateRequest
	each(t, func() *pbtest.MutateRequest { return &pbtest.MutateRequest{Mutation: new(pbtest.MutationProto)} }, func(c checker, b []byte, m *pbtest.MutateRequest) {
		c.ok(r.Decode(b))
		c.region(r.Region, m.GetRegion())
		c.mutation(&r.Mutation, m.GetMutation())
		c.condition(&r.Condition, r.HasCondition, m.GetCondition())
		c.eq("nonce group", r.NonceGroup, m.GetNonceGroup())
	})
}

func TestDecodeMultiRequest(t *testing.T) {
	var r MultiRequest
	var ra RegionAction
	var a Action
	each(t, func() *pbtest.MultiRequest { return new(pbtest.MultiRequest) }, func(c checker, b []byte, m *pbtest.MultiRequest) {
		c.ok(r.Decode(b))
		c.eq("nonce group", r.NonceGroup, m.GetNonceGroup())
		c.condition(&r.Condition, r.HasCondition, m.GetCondition())
		ras := r.RegionActions()
		for _, want := range m.GetRegionAction() {
			if !ras.Next(&ra) {
				t.Fatalf("region actions end early: %v", ras.Err())
			}
			c.region(ra.Region, want.GetRegion())
			c.eq("atomic", ra.Atomic, want.GetAtomic())
			c.eq("count", ra.Count, len(want.GetAction()))
			c.condition(&ra.Condition, ra.HasCondition, want.GetCondition())
			as := ra.Actions()
			for _, want := range want.GetAction() {
				if !as.Next(&a) {
					t.Fatalf("actions end early: %v", as.Err())
				}
				c.eq("index", a.Index, want.GetIndex())
				c.eq("has index", a.HasIndex, want.Index != nil)
				c.eq("has mutation", a.HasMutation, want.GetMutation() != nil)
				c.eq("has get", a.HasGet, want.GetGet() != nil)
				c.eq("has call", a.HasCall, want.GetServiceCall() != nil)
				if a.HasMutation {
					c.mutation(&a.Mutation, want.GetMutation())
				}
				if a.HasGet {
					c.get(&a.Get, want.GetGet())
				}
				if a.HasCall {
					c.call(&a.Call, want.GetServiceCall())
				}
			}
			if as.Next(&a) || as.Err() != nil {
				t.Fatalf("actions do not end: %v", as.Err())
			}
		}
		if ras.Next(&ra) || ras.Err() != nil {
			t.Fatalf("region actions do not end: %v", ras.Err())
		}
	})
}

func TestDecodeScanRequest(t *testing.T) {
	var r ScanRequest
	each(t, func() *pbtest.ScanRequest { return new(pbtest.ScanRequest) }, func(c checker, b []byte, m *pbtest.ScanRequest) {
		c.ok(r.Decode(b))
		c.eq("has region", r.HasRegion, m.GetRegion() != nil)
		c.region(r.Region, m.GetRegion())
		c.eq("has scan", r.HasScan, m.GetScan() != nil)
		c.scan(&r.Scan, m.GetScan())
		c.eq("scanner id", r.ScannerID, m.GetScannerId())
		c.eq("has scanner id", r.HasScannerID, m.ScannerId != nil)
		c.eq("rows", r.NumberOfRows, m.GetNumberOfRows())
		c.eq("has rows", r.HasNumberOfRows, m.NumberOfRows != nil)
		c.eq("close", r.CloseScanner, m.GetCloseScanner())
		c.eq("seq", r.NextCallSeq, m.GetNextCallSeq())
		c.eq("has seq", r.HasNextCallSeq, m.NextCallSeq != nil)
		c.eq("partials", r.HandlesPartials, m.GetClientHandlesPartials())
		c.eq("heartbeats", r.HandlesHeartbeats, m.GetClientHandlesHeartbeats())
		c.eq("metrics", r.TrackMetrics, m.GetTrackScanMetrics())
		c.eq("renew", r.Renew, m.GetRenew())
		c.eq("limit", r.LimitOfRows, m.GetLimitOfRows())
		c.eq("has limit", r.HasLimitOfRows, m.LimitOfRows != nil)
	})
}

func TestDecodeCoprocessorRequests(t *testing.T) {
	var r CoprocessorRequest
	each(t, func() *pbtest.CoprocessorServiceRequest { return new(pbtest.CoprocessorServiceRequest) }, func(c checker, b []byte, m *pbtest.CoprocessorServiceRequest) {
		c.ok(r.Decode(b))
		c.region(r.Region, m.GetRegion())
		c.call(&r.Call, m.GetCall())
	})
	var mr MutateRowsRequest
	var mut Mutation
	var cond Condition
	each(t, func() *pbtest.MutateRowsRequest { return new(pbtest.MutateRowsRequest) }, func(c checker, b []byte, m *pbtest.MutateRowsRequest) {
		c.ok(mr.Decode(b))
		c.eq("nonce group", mr.NonceGroup, m.GetNonceGroup())
		c.eq("nonce", mr.Nonce, m.GetNonce())
		c.eq("has region", mr.HasRegion, m.GetRegion() != nil)
		c.region(mr.Region, m.GetRegion())
		muts, conds := mr.Mutations(), mr.Conditions()
		for _, want := range m.GetMutationRequest() {
			c.eq("next mutation", muts.Next(&mut), true)
			c.mutation(&mut, want)
		}
		for _, want := range m.GetCondition() {
			c.eq("next condition", conds.Next(&cond), true)
			c.condition(&cond, true, want)
		}
		c.eq("end", muts.Next(&mut) || conds.Next(&cond), false)
		c.ok(muts.Err())
		c.ok(conds.Err())
	})
	var ar AggregateRequest
	each(t, func() *pbtest.AggregateRequest { return new(pbtest.AggregateRequest) }, func(c checker, b []byte, m *pbtest.AggregateRequest) {
		c.ok(ar.Decode(b))
		c.eq("interpreter", ar.Interpreter, m.GetInterpreterClassName())
		c.eq("has scan", ar.HasScan, m.GetScan() != nil)
		c.scan(&ar.Scan, m.GetScan())
		c.eq("data", ar.InterpreterData, m.GetInterpreterSpecificBytes())
		c.eq("partials", ar.HandlesPartials, m.GetClientSupportsPartialResult())
	})
}

func TestMissingParts(t *testing.T) {
	if err := new(GetRequest).Decode(nil); err == nil {
		t.Error("a GetRequest without a get decodes")
	}
	if err := new(MutateRequest).Decode(nil); err == nil {
		t.Error("a MutateRequest without a mutation decodes")
	}
}
