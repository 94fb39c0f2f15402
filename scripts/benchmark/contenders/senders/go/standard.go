//go:build !apns2

package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

var authorization = "bearer " + strings.Repeat("x", 184)

// The HTTP/2 client of the standard library, on which the clients for APNs are built.
func connect(origin string) func(token, id string) error {
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true}}
	return func(token, id string) error {
		request, err := http.NewRequest(http.MethodPost, origin+"/3/device/"+token, strings.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("authorization", authorization)
		request.Header.Set("apns-topic", topic)
		request.Header.Set("apns-push-type", "alert")
		request.Header.Set("apns-priority", "10")
		request.Header.Set("apns-expiration", strconv.Itoa(expiration))
		request.Header.Set("apns-collapse-id", collapseID)
		request.Header.Set("apns-id", id)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if _, err = io.Copy(io.Discard, response.Body); err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s", response.Status)
		}
		return nil
	}
}
