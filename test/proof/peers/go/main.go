// The HTTP/2 server of Go's net/http, which echoes.
// Arguments: port, certificate file, key file, requests on a connection before its GOAWAY (0: no GOAWAY).
// Prints "ready", and what it has seen when its standard input ends.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

type served struct{}

var (
	lock        sync.Mutex
	paths       = map[string]int{}
	connections int64
	goawayAfter int64
)

func main() {
	port, certificate, key := os.Args[1], os.Args[2], os.Args[3]
	after, err := strconv.ParseInt(os.Args[4], 10, 64)
	must(err)
	goawayAfter = after

	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	must(err)
	server := &http.Server{
		Handler: http.HandlerFunc(echo),
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			atomic.AddInt64(&connections, 1)
			return context.WithValue(ctx, served{}, new(int64))
		},
	}
	go func() { must(server.ServeTLS(listener, certificate, key)) }()
	fmt.Println("ready")

	_, _ = io.Copy(io.Discard, os.Stdin)
	lock.Lock()
	told, err := json.Marshal(map[string]any{"connections": atomic.LoadInt64(&connections), "paths": paths})
	must(err)
	fmt.Println(string(told))
}

func echo(response http.ResponseWriter, request *http.Request) {
	path := request.URL.Path
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	lock.Lock()
	paths[path]++
	lock.Unlock()

	status := http.StatusOK
	if strings.HasPrefix(path, "/refuse/") {
		status, err = strconv.Atoi(strings.Split(path, "/")[2])
		must(err)
		body = []byte(fmt.Sprintf(`{"reason":"Refused%d"}`, status))
	}
	response.Header().Set("x-path", path)
	// In HTTP/2 the server takes this for an order to send GOAWAY (net/http, responseWriterState.writeChunk).
	if count := request.Context().Value(served{}).(*int64); atomic.AddInt64(count, 1) == goawayAfter {
		response.Header().Set("Connection", "close")
	}
	response.WriteHeader(status)
	_, _ = response.Write(body)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
