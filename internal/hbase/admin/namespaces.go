package admin

import (
	"context"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/meta"
	"github.com/basaltdb/basalt/internal/hbase/pb/adminpb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

func (a *Admin) addNamespaces(s rpc.Service) {
	s["CreateNamespace"] = slow(a.createNamespace)
	s["ModifyNamespace"] = slow(a.modifyNamespace)
	s["DeleteNamespace"] = slow(a.deleteNamespace)
	s["GetNamespaceDescriptor"] = quick(a.getNamespaceDescriptor)
	s["ListNamespaces"] = quick(a.listNamespaces)
	s["ListNamespaceDescriptors"] = quick(a.listNamespaceDescriptors)
	s["ListTableDescriptorsByNamespace"] = slow(a.listTableDescriptorsByNamespace)
	s["ListTableNamesByNamespace"] = slow(a.listTableNamesByNamespace)
}

func namespace(d *adminpb.NamespaceDescriptor) *catalog.Namespace {
	return &catalog.Namespace{Name: string(d.GetName()), Configuration: stringPairs(d.GetConfiguration())}
}

func (a *Admin) createNamespace(ctx context.Context, q *adminpb.CreateNamespaceRequest) (*adminpb.CreateNamespaceResponse, error) {
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		return a.Catalog.CreateNamespace(namespace(q.GetNamespaceDescriptor()))
	})
	return &adminpb.CreateNamespaceResponse{ProcId: id}, err
}

func (a *Admin) modifyNamespace(ctx context.Context, q *adminpb.ModifyNamespaceRequest) (*adminpb.ModifyNamespaceResponse, error) {
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		return a.Catalog.ModifyNamespace(namespace(q.GetNamespaceDescriptor()))
	})
	return &adminpb.ModifyNamespaceResponse{ProcId: id}, err
}

func (a *Admin) deleteNamespace(ctx context.Context, q *adminpb.DeleteNamespaceRequest) (*adminpb.DeleteNamespaceResponse, error) {
	id, err := a.procedures.run(ctx, q.GetNonceGroup(), q.GetNonce(), func() error {
		return a.Catalog.DropNamespace(q.GetNamespaceName())
	})
	return &adminpb.DeleteNamespaceResponse{ProcId: id}, err
}

func (a *Admin) getNamespaceDescriptor(_ context.Context, q *adminpb.GetNamespaceDescriptorRequest) (*adminpb.GetNamespaceDescriptorResponse, error) {
	n := a.Catalog.View().Namespaces[q.GetNamespaceName()]
	if n == nil {
		return nil, &catalog.NamespaceNotFoundError{Name: q.GetNamespaceName()}
	}
	return &adminpb.GetNamespaceDescriptorResponse{NamespaceDescriptor: meta.NamespaceDescriptor(n)}, nil
}

func (a *Admin) listNamespaces(context.Context, *adminpb.ListNamespacesRequest) (*adminpb.ListNamespacesResponse, error) {
	r := &adminpb.ListNamespacesResponse{}
	for _, n := range a.Catalog.View().SortedNamespaces() {
		r.NamespaceName = append(r.NamespaceName, n.Name)
	}
	return r, nil
}

func (a *Admin) listNamespaceDescriptors(context.Context, *adminpb.ListNamespaceDescriptorsRequest) (*adminpb.ListNamespaceDescriptorsResponse, error) {
	r := &adminpb.ListNamespaceDescriptorsResponse{}
	for _, n := range a.Catalog.View().SortedNamespaces() {
		r.NamespaceDescriptor = append(r.NamespaceDescriptor, meta.NamespaceDescriptor(n))
	}
	return r, nil
}

func (a *Admin) listTableDescriptorsByNamespace(_ context.Context, q *adminpb.ListTableDescriptorsByNamespaceRequest) (*adminpb.ListTableDescriptorsByNamespaceResponse, error) {
	tables, err := a.list(q.GetNamespaceName(), nil, true)
	if err != nil {
		return nil, err
	}
	return &adminpb.ListTableDescriptorsByNamespaceResponse{TableSchema: schemas(tables)}, nil
}

func (a *Admin) listTableNamesByNamespace(_ context.Context, q *adminpb.ListTableNamesByNamespaceRequest) (*adminpb.ListTableNamesByNamespaceResponse, error) {
	tables, err := a.list(q.GetNamespaceName(), nil, true)
	if err != nil {
		return nil, err
	}
	return &adminpb.ListTableNamesByNamespaceResponse{TableName: names(tables)}, nil
}
