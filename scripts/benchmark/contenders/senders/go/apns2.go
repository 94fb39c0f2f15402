//go:build apns2

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/sideshow/apns2"
	provider "github.com/sideshow/apns2/token"
)

func connect(origin string) func(token, id string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	client := apns2.NewTokenClient(&provider.Token{AuthKey: key, KeyID: "ABCDE12345", TeamID: "ABCDE12345"})
	client.Host = origin
	return func(token, id string) error {
		response, err := client.Push(&apns2.Notification{
			ApnsID:      id,
			CollapseID:  collapseID,
			DeviceToken: token,
			Topic:       topic,
			Expiration:  time.Unix(expiration, 0),
			Priority:    apns2.PriorityHigh,
			PushType:    apns2.PushTypeAlert,
			Payload:     []byte(body),
		})
		if err != nil {
			return err
		}
		if !response.Sent() {
			return fmt.Errorf("%d %s", response.StatusCode, response.Reason)
		}
		return nil
	}
}
