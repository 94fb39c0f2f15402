// Carries out the calls that test/client/backends.test.ts gives, a line each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"test/bellhop"
)

type given struct {
	Call, Key, ID, User, Body, Secret string
	Place                             []string
	Target, Message                   bellhop.Fields
	Headers                           map[string]string
	Now                               int64
}

func carryOut(g given) (any, error) {
	client, err := bellhop.FromEnv()
	if len(g.Place) == 3 {
		client, err = bellhop.New(g.Place[0], g.Place[1], g.Place[2])
	}
	if err != nil {
		return nil, err
	}
	switch g.Call {
	case "push":
		return client.Push(context.Background(), g.Target, g.Message, g.Key)
	case "status":
		return client.Status(context.Background(), g.ID)
	case "proof":
		return bellhop.UserProof(g.User, "")
	case "verify":
		headers := http.Header{}
		for name, value := range g.Headers {
			headers.Set(name, value)
		}
		event, err := bellhop.VerifyWebhook([]byte(g.Body), headers, g.Secret, time.Unix(g.Now, 0))
		if errors.Is(err, bellhop.ErrNotGenuine) {
			return nil, nil
		}
		return event, err
	}
	return fmt.Sprintf("%v %+v %#v %s %d", client, client, client, client, client), nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var g given
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			panic(err)
		}
		is, err := carryOut(g)
		said := map[string]any{"is": is}
		var failed *bellhop.Error
		if errors.As(err, &failed) {
			said = map[string]any{"status": failed.Status, "code": failed.Code, "message": failed.Message}
		} else if err != nil {
			said = map[string]any{"message": err.Error()}
		}
		if err := json.NewEncoder(os.Stdout).Encode(said); err != nil {
			panic(err)
		}
	}
}
