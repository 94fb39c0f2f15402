// A bare loop of a Go client, with the same life as ../run-sender.ts: it connects, sends the warm-up, prints "ready",
// waits for a line, sends, prints "done", and stays until its standard input ends.
// Arguments: origin, CA file, warm-up, count.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

const (
	body       = `{"aps":{"alert":"Hello","sound":"default"}}`
	topic      = "com.example.bench"
	collapseID = "019a9f7e-3c1b-7000-8000-000000000000"
	expiration = 1_800_000_000
	inFlight   = 1000
)

// A token is put together from two of these: a list of them all would count as memory of the sender.
var halves [1024]string

func main() {
	for n := range halves {
		sum := sha256.Sum256([]byte(strconv.Itoa(n)))
		halves[n] = hex.EncodeToString(sum[:16])
	}
	origin, caFile, warmUp, count := os.Args[1], os.Args[2], number(os.Args[3]), number(os.Args[4])
	// Read when the first connection is made.
	must(os.Setenv("SSL_CERT_FILE", caFile))
	send := connect(origin)

	// Alone, since a client that does not know the gateway's limits yet opens a connection for each.
	must(send(token(0), apnsID(0)))
	sendAll(send, 1, warmUp)
	fmt.Println("ready")
	stdin := bufio.NewReader(os.Stdin)
	_, err := stdin.ReadString('\n')
	must(err)
	sendAll(send, warmUp, warmUp+count)
	fmt.Println("done")
	_, _ = io.Copy(io.Discard, stdin)
}

func sendAll(send func(token, id string) error, from, to int64) {
	next := from - 1
	var lanes sync.WaitGroup
	for lane := 0; lane < inFlight; lane++ {
		lanes.Add(1)
		go func() {
			defer lanes.Done()
			for n := atomic.AddInt64(&next, 1); n < to; n = atomic.AddInt64(&next, 1) {
				must(send(token(n), apnsID(n)))
			}
		}()
	}
	lanes.Wait()
}

func token(n int64) string {
	return halves[n%int64(len(halves))] + halves[n/int64(len(halves))]
}

func apnsID(n int64) string {
	return fmt.Sprintf("019a9f7e-3c1b-7000-8000-%012x", n)
}

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	must(err)
	return n
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
