"""Bellhop from a backend in Python 3.9 or later, which alone may have the secret.

/docs of your server describes every field; `bellhop manual backends` has examples.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

# Seconds for a call. Three tries and the pauses between them take less than two minutes.
TIMEOUT = 10
TRIES = 3
# A server that asks for a longer pause (seconds) is not waited for: a job should come back later.
LONGEST_PAUSE = 30
# Seconds, as in Standard Webhooks.
TOLERANCE = 300


class BellhopError(Exception):
    """`status` is that of HTTP, or 0 without an answer; `code` is such as InvalidArgument, or empty."""

    def __init__(self, status, code, message):
        super().__init__(message)
        self.status = status
        self.code = code


class Bellhop:
    def __init__(self, url=None, app=None, secret=None):
        self._url = _setting("BELLHOP_URL", url, r"https?://\S+", "an address, such as https://push.example.com.")
        self._app = _setting("BELLHOP_APP_ID", app, r"app_\w+", "the ID of an application, app_…")
        self._secret = _setting("BELLHOP_SECRET", secret, r"bhs_[\w-]+", "the secret of an application, bhs_…")

    def push(self, target, message, key=None):
        """Sends `message` to `target`, and returns the ID of the push.

        {"token": …, "platform": …} is one device, {"users": ["17"]} or another filter those that match,
        {"platform": ["0", "1"]} everyone. A push with the same `key` is sent once, so a job that may run again gives one of
        its own.
        """
        path = "/push/one" if "token" in target else "/push/all"
        answer = self._call("POST", path, {"Idempotency-Key": key or str(uuid.uuid4())}, {**target, **message})
        if not isinstance(answer, dict) or not isinstance(answer.get("id"), str):
            raise BellhopError(0, "", "Bellhop did not answer: the answer has no id")
        return answer["id"]

    def status(self, push):
        """How far the push with this ID is: its `state`, `t` devices, `s` accepted, and what failed."""
        return self._call("GET", "/push/" + urllib.parse.quote(push, safe=""))

    def _call(self, method, path, headers={}, body=None):
        request = urllib.request.Request(
            self._url.rstrip("/") + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Accept-Version": "1",
                "Content-Type": "application/json",
                "X-SERVICE-APPID": self._app,
                "X-SERVICE-SECRET": self._secret,
                **headers,
            },
            method=method,
        )
        for tries in range(1, TRIES + 1):
            pause = 2**tries / 4
            try:
                with _opener.open(request, timeout=TIMEOUT) as response:
                    return json.load(response)
            except urllib.error.HTTPError as answer:
                after = answer.headers.get("Retry-After", "")
                pause = int(after) if re.fullmatch("[0-9]+", after) else pause
                error = _refusal(answer)
            except (OSError, http.client.HTTPException, json.JSONDecodeError, UnicodeDecodeError) as problem:
                error = BellhopError(0, "", f"Bellhop did not answer: {problem}")
            again = error.status in (0, 429) or error.status >= 500
            if not again or tries == TRIES or pause > LONGEST_PAUSE:
                # What it comes from would show the headers in some reports.
                raise error from None
            time.sleep(pause)


def user_proof(user, key=None):
    """Proves to Bellhop who a user is: the app gets it with its sign-in, and sends it as `user_proof`.

    `key` is that of `bellhop app user-key`.
    """
    key = _setting("BELLHOP_USER_KEY", key, r"bhu_\S+", "a user key, bhu_…")
    return hmac.new(key.encode(), user.encode(), hashlib.sha256).hexdigest()


def verify_webhook(body, headers, secret, now=None):
    """The event in a call of a webhook, or None where it is not from Bellhop, or old.

    `body` is the bytes that came, not parsed; `secret` that of `bellhop app webhook`; `now` in seconds since 1970.
    """
    if not secret.startswith("whsec_"):
        raise ValueError("The secret of a webhook is whsec_…")
    values = {name.lower(): value for name, value in headers.items()}
    event, timestamp, given = (values.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    now = time.time() if now is None else now
    if not re.fullmatch("[0-9]{1,15}", timestamp) or abs(now - int(timestamp)) > TOLERANCE:
        return None
    key = base64.b64decode(secret[len("whsec_") :])
    digest = hmac.new(key, f"{event}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # While a secret is replaced, a call may have several.
    genuine = any(hmac.compare_digest(one.encode(), expected) for one in given.split(" "))
    return json.loads(body) if genuine else None


def _setting(name, value, pattern, expected):
    value = os.environ.get(name, "") if value is None else value
    if not re.fullmatch(pattern, value, re.ASCII):
        raise ValueError(f"{name} must be {expected}")
    return value


def _refusal(answer):
    try:
        body = json.load(answer)
        if isinstance(body["code"], str):
            return BellhopError(answer.code, body["code"], f"Bellhop answered {answer.code} {body['code']}: {body['message']}")
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        pass
    return BellhopError(answer.code, "", f"Bellhop answered {answer.code}.")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another server must not get the secret."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirects)
