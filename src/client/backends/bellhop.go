// Package bellhop is Bellhop from a backend in Go 1.19 or later, which alone may have the secret.
// /docs of your server describes every field; "bellhop manual backends" has examples.
package bellhop

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// Of a call. Three tries and the pauses between them take less than two minutes.
	timeout = 10 * time.Second
	tries   = 3
	// A server that asks for a longer pause is not waited for: a job should come back later.
	longestPause = 30 * time.Second
	// As in Standard Webhooks.
	tolerance = 5 * time.Minute
)

// Fields is a JSON object, as the API has it.
type Fields = map[string]any

// Error has the Status of HTTP, or 0 without an answer. Code is such as InvalidArgument, or empty.
type Error struct {
	Status  int
	Code    string
	Message string
}

func (e *Error) Error() string { return e.Message }

// Client is safe for concurrent use.
type Client struct {
	url, app, secret string
	http             *http.Client
}

var (
	urlPattern    = regexp.MustCompile(`^https?://\S+$`)
	appPattern    = regexp.MustCompile(`^app_\w+$`)
	secretPattern = regexp.MustCompile(`^bhs_[\w-]+$`)
	digits        = regexp.MustCompile(`^\d{1,15}$`)
)

// FromEnv reads BELLHOP_URL, BELLHOP_APP_ID and BELLHOP_SECRET.
func FromEnv() (*Client, error) {
	return New(os.Getenv("BELLHOP_URL"), os.Getenv("BELLHOP_APP_ID"), os.Getenv("BELLHOP_SECRET"))
}

func New(url, app, secret string) (*Client, error) {
	switch {
	case !urlPattern.MatchString(url):
		return nil, errors.New("BELLHOP_URL must be an address, such as https://push.example.com.")
	case !appPattern.MatchString(app):
		return nil, errors.New("BELLHOP_APP_ID must be the ID of an application, app_…")
	case !secretPattern.MatchString(secret):
		return nil, errors.New("BELLHOP_SECRET must be the secret of an application, bhs_…")
	}
	client := &http.Client{
		Timeout: timeout,
		// Another server must not get the secret.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Client{strings.TrimRight(url, "/"), app, secret, client}, nil
}

// Format keeps the secret out of logs, whatever the verb.
func (c *Client) Format(state fmt.State, _ rune) { fmt.Fprintf(state, "bellhop.Client(%s)", c.app) }

// Push sends message to target, and returns the ID of the push. {"token": …, "platform": …} is one device,
// {"users": {"17"}} or another filter those that match, {"platform": {"0", "1"}} everyone. A push with the same key is sent
// once, so a job that may run again gives one of its own; "" makes one for this call.
func (c *Client) Push(ctx context.Context, target, message Fields, key string) (string, error) {
	path := "/push/all"
	body := Fields{}
	for name, value := range target {
		body[name] = value
	}
	for name, value := range message {
		body[name] = value
	}
	if _, one := target["token"]; one {
		path = "/push/one"
	}
	text, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	if key == "" {
		random := make([]byte, 16)
		if _, err := rand.Read(random); err != nil {
			return "", err
		}
		key = hex.EncodeToString(random)
	}
	answer, err := c.call(ctx, http.MethodPost, path, text, key)
	if err != nil {
		return "", err
	}
	id, ok := answer["id"].(string)
	if !ok {
		return "", noAnswer(errors.New("the answer has no id"))
	}
	return id, nil
}

// Status tells how far a push is: its state, t devices, s accepted, and what failed.
func (c *Client) Status(ctx context.Context, push string) (Fields, error) {
	return c.call(ctx, http.MethodGet, "/push/"+url.PathEscape(push), nil, "")
}

// UserProof proves to Bellhop who a user is: the app gets it with its sign-in, and sends it as user_proof.
// key: of "bellhop app user-key"; "" is BELLHOP_USER_KEY.
func UserProof(user, key string) (string, error) {
	if key == "" {
		key = os.Getenv("BELLHOP_USER_KEY")
	}
	if !strings.HasPrefix(key, "bhu_") {
		return "", errors.New("BELLHOP_USER_KEY must be a user key, bhu_…")
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(user))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// ErrNotGenuine is of a call that is not from Bellhop, or old.
var ErrNotGenuine = errors.New("the webhook is not genuine, or old")

// VerifyWebhook returns the event in a call of a webhook. body: as it came, not parsed. secret: of "bellhop app webhook".
// now: usually time.Now().
func VerifyWebhook(body []byte, headers http.Header, secret string, now time.Time) (Fields, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !strings.HasPrefix(secret, "whsec_") {
		return nil, errors.New("The secret of a webhook is whsec_…")
	}
	timestamp := headers.Get("webhook-timestamp")
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	age := now.Sub(time.Unix(seconds, 0))
	if !digits.MatchString(timestamp) || age > tolerance || age < -tolerance {
		return nil, ErrNotGenuine
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(headers.Get("webhook-id") + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// While a secret is replaced, a call may have several.
	for _, given := range strings.Fields(headers.Get("webhook-signature")) {
		if hmac.Equal([]byte(given), []byte(expected)) {
			event := Fields{}
			return event, json.Unmarshal(body, &event)
		}
	}
	return nil, ErrNotGenuine
}

func (c *Client) call(ctx context.Context, method, path string, body []byte, key string) (Fields, error) {
	for try := 1; ; try++ {
		request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept-Version", "1")
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-SERVICE-APPID", c.app)
		request.Header.Set("X-SERVICE-SECRET", c.secret)
		if key != "" {
			request.Header.Set("Idempotency-Key", key)
		}
		pause := time.Second / 4 << try
		answer, after, failed := c.try(request)
		if failed == nil {
			return answer, nil
		}
		if digits.MatchString(after) {
			seconds, _ := strconv.Atoi(after)
			pause = time.Duration(seconds) * time.Second
		}
		again := failed.Status == 0 || failed.Status == http.StatusTooManyRequests || failed.Status >= 500
		if !again || try == tries || pause > longestPause {
			return nil, failed
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// after: what the answer has as Retry-After.
func (c *Client) try(request *http.Request) (answer Fields, after string, failed *Error) {
	response, err := c.http.Do(request)
	if err != nil {
		return nil, "", noAnswer(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, "", noAnswer(err)
	}
	status := response.StatusCode
	if status < 300 {
		if err := json.Unmarshal(text, &answer); err != nil {
			return nil, "", noAnswer(err)
		}
		return answer, "", nil
	}
	failed = &Error{Status: status, Message: fmt.Sprintf("Bellhop answered %d.", status)}
	var refusal struct{ Code, Message string }
	if json.Unmarshal(text, &refusal) == nil && refusal.Code != "" {
		failed.Code = refusal.Code
		failed.Message = fmt.Sprintf("Bellhop answered %d %s: %s", status, refusal.Code, refusal.Message)
	}
	return nil, response.Header.Get("Retry-After"), failed
}

func noAnswer(err error) *Error {
	return &Error{Message: "Bellhop did not answer: " + err.Error()}
}
