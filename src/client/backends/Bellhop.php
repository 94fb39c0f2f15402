<?php

/**
 * Bellhop from a backend in PHP 8.1 or later, which alone may have the secret.
 * /docs of your server describes every field; `bellhop manual backends` has examples.
 */

declare(strict_types=1);

// As Laravel (app/Bellhop.php) and Symfony (src/Bellhop.php) load it.
namespace App;

use InvalidArgumentException;
use RuntimeException;
use SensitiveParameter;

/** Its code is the status of HTTP, or 0 without an answer. */
final class BellhopError extends RuntimeException
{
    /** @param string $reason such as InvalidArgument; empty where the answer has none, as that of a proxy */
    public function __construct(int $status, public readonly string $reason, string $message)
    {
        parent::__construct($message, $status);
    }
}

final class Bellhop
{
    /** Seconds for a call. Three tries and the pauses between them take less than two minutes. */
    private const TIMEOUT = 10;
    private const TRIES = 3;
    /** A server that asks for a longer pause (seconds) is not waited for: a job should come back later. */
    private const LONGEST_PAUSE = 30;
    /** Seconds, as in Standard Webhooks. */
    private const TOLERANCE = 300;

    private readonly string $url;
    private readonly string $app;
    private readonly string $secret;

    public function __construct(?string $url = null, ?string $app = null, #[SensitiveParameter] ?string $secret = null)
    {
        $address = 'an address, such as https://push.example.com.';
        $this->url = rtrim(self::setting('BELLHOP_URL', $url, 'https?:\/\/\S+', $address), '/');
        $this->app = self::setting('BELLHOP_APP_ID', $app, 'app_\w+', 'the ID of an application, app_…');
        $this->secret = self::setting('BELLHOP_SECRET', $secret, 'bhs_[\w-]+', 'the secret of an application, bhs_…');
    }

    /**
     * Sends a message to a target, and returns the ID of the push.
     *
     * @param array $target ['token' => …, 'platform' => …] is one device, ['users' => ['17']] or another filter those that
     *                      match, ['platform' => ['0', '1']] everyone
     * @param ?string $key a push with the same one is sent once, so a job that may run again gives one of its own
     */
    public function push(array $target, array $message, ?string $key = null): string
    {
        $key ??= bin2hex(random_bytes(16));
        // It is a line of the request.
        if (!preg_match('/^[\x21-\x7e]{1,255}$/D', $key)) {
            throw new InvalidArgumentException('A key has 1 to 255 visible ASCII characters.');
        }
        $path = isset($target['token']) ? '/push/one' : '/push/all';
        $answer = $this->call('POST', $path, [...$target, ...$message], ["Idempotency-Key: $key"]);
        if (!is_string($answer['id'] ?? null)) {
            throw new BellhopError(0, '', 'Bellhop did not answer: the answer has no id');
        }
        return $answer['id'];
    }

    /** How far a push is: its state, t devices, s accepted, and what failed. */
    public function status(string $push): array
    {
        return $this->call('GET', '/push/' . rawurlencode($push));
    }

    /**
     * Proves to Bellhop who a user is: the app gets it with its sign-in, and sends it as user_proof.
     *
     * @param ?string $key of `bellhop app user-key`
     */
    public static function userProof(string $user, #[SensitiveParameter] ?string $key = null): string
    {
        return hash_hmac('sha256', $user, self::setting('BELLHOP_USER_KEY', $key, 'bhu_\S+', 'a user key, bhu_…'));
    }

    /**
     * The event in a call of a webhook; null: it is not from Bellhop, or old.
     *
     * @param string $body as it came, not parsed
     * @param array $headers as of getallheaders() or Laravel's $request->headers->all()
     * @param string $secret of `bellhop app webhook`
     * @param ?int $now seconds since 1970
     */
    public static function verifyWebhook(
        string $body,
        array $headers,
        #[SensitiveParameter] string $secret,
        ?int $now = null,
    ): ?array {
        if (!str_starts_with($secret, 'whsec_')) {
            throw new InvalidArgumentException('The secret of a webhook is whsec_…');
        }
        $values = array_change_key_case($headers);
        $header = fn (string $name): string => (string) (((array) ($values[$name] ?? ''))[0] ?? '');
        $timestamp = $header('webhook-timestamp');
        if (!preg_match('/^\d{1,15}$/D', $timestamp) || abs(($now ?? time()) - (int) $timestamp) > self::TOLERANCE) {
            return null;
        }
        $signed = $header('webhook-id') . '.' . $timestamp . '.' . $body;
        $digest = hash_hmac('sha256', $signed, base64_decode(substr($secret, strlen('whsec_'))), true);
        $genuine = false;
        // While a secret is replaced, a call may have several.
        foreach (explode(' ', $header('webhook-signature')) as $given) {
            $genuine = hash_equals('v1,' . base64_encode($digest), $given) || $genuine;
        }
        return $genuine ? json_decode($body, true, 512, JSON_THROW_ON_ERROR) : null;
    }

    /** Keeps the secret out of var_dump() and error reports. */
    public function __debugInfo(): array
    {
        return ['url' => $this->url, 'app' => $this->app];
    }

    private function call(string $method, string $path, ?array $body = null, array $headers = []): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => [
                'Accept-Version: 1',
                'Content-Type: application/json',
                "X-SERVICE-APPID: $this->app",
                "X-SERVICE-SECRET: $this->secret",
                ...$headers,
            ],
            'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR),
            'timeout' => self::TIMEOUT,
            'ignore_errors' => true,
            // Another server must not get the secret.
            'follow_location' => 0,
        ]]);
        for ($tries = 1; ; $tries++) {
            $pause = 2 ** $tries / 4;
            error_clear_last();
            $stream = @fopen($this->url . $path, 'r', false, $context);
            $text = $stream === false ? false : stream_get_contents($stream);
            $meta = $stream === false ? [] : stream_get_meta_data($stream);
            $lines = $meta['wrapper_data'] ?? [];
            $status = preg_match('/^HTTP\S* (\d+)/', $lines[0] ?? '', $found) ? (int) $found[1] : 0;
            $answer = is_string($text) && !$meta['timed_out'] ? json_decode($text, true) : null;
            if ($status >= 200 && $status < 300 && is_array($answer)) {
                return $answer;
            }
            foreach ($lines as $line) {
                $pause = preg_match('/^Retry-After: *(\d+)$/i', $line, $found) ? (int) $found[1] : $pause;
            }
            $again = $status < 300 || $status === 429 || $status >= 500;
            if (!$again || $tries === self::TRIES || $pause > self::LONGEST_PAUSE) {
                throw self::refusal($status, $answer);
            }
            usleep((int) ($pause * 1_000_000));
        }
    }

    private static function refusal(int $status, mixed $answer): BellhopError
    {
        if ($status < 300) {
            $message = preg_replace('/^.*: /', '', error_get_last()['message'] ?? 'the answer is incomplete');
            return new BellhopError(0, '', "Bellhop did not answer: $message");
        }
        $code = is_array($answer) && is_string($answer['code'] ?? null) ? $answer['code'] : '';
        $message = is_string($answer['message'] ?? null) ? $answer['message'] : '';
        $more = $code === '' ? '.' : " $code: $message";
        return new BellhopError($status, $code, "Bellhop answered $status$more");
    }

    private static function setting(
        string $name,
        #[SensitiveParameter] ?string $value,
        string $pattern,
        string $expected,
    ): string {
        $value ??= (string) getenv($name);
        if (!preg_match("/^(?:$pattern)$/D", $value)) {
            throw new InvalidArgumentException("$name must be $expected");
        }
        return $value;
    }
}
