module github.com/basaltdb/basalt

go 1.26.0
