import type { MAGIC } from '../../../src/dashboard/client/magic-phones.ts'
import type { ReceivedPush } from '../../../src/gateway/simulator/received-pushes.ts'

/*
 * What real gateways did to other people's senders, a row each: it is played by the simulator for a device that orders
 * it, and must end as it says here. The manual's page `reality.md` shows the table; `reality.test.ts` plays it.
 */

/** A device, by what the phones page of the dashboard offers. `times`: how often the answer comes; 0: always. */
type Order = readonly [platform: keyof typeof MAGIC, order: string, times: '0' | '1' | '2' | '3']

export interface RealityRow {
  readonly gateway: string
  readonly trigger: string
  /** What the gateway says. */
  readonly answer: string
  readonly done: string
  /** Absent: a usual device. */
  readonly order: Order
  /** Whether all devices are as `order` says, and not only one beside three that are well. */
  readonly all?: true
  /** Over the fields of the push. */
  readonly push?: object
  /** What the requests for the device were answered, in order; `null`: they were not. */
  readonly asked: readonly (number | null)[]
  /** The same of a second push. Default: as in the first. */
  readonly askedAgain?: readonly (number | null)[]
  /** Why the push failed for the device; absent: it was taken. */
  readonly failed?: string
  /** Whether the device has left the registry. Default: it stays. */
  readonly leaves?: true
  /** Why sending paused meanwhile, in part; absent: it did not. */
  readonly paused?: string
  /** Whether something has to be taken for another device after the first answer. */
  readonly othersGoOn?: true
  /** What the requests had to be. */
  readonly requests?: (requests: readonly ReceivedPush[]) => boolean
}

const ANOTHER_KEY = 'subscribed with another VAPID key'
const SET_ASIDE = 'sets the browser aside until the key changes'
const GONE = 'unregisters the browser'
const AGAIN = 'tries this browser again; nobody else waits'
const KEEPS = 'pauses the push service once ten browsers in a row are told so; nobody is unregistered'

/** Of push services that are played at the simulator's address, the path says which. */
export const REALITY: readonly RealityRow[] = [
  {
    gateway: 'Apple, web',
    trigger: 'a Topic of 1, 5, 9 … characters',
    answer: '400 `BadWebPushTopic`',
    done: 'never sends one: such a collapse ID goes out as its hash',
    order: ['2', 'apple/', '0'],
    push: { collapse: 'breaking-news' },
    asked: [201],
    requests: (requests) => requests.every(({ collapse }) => (collapse ?? '').length % 4 !== 1),
  },
  {
    gateway: 'Apple, web',
    trigger: 'a subscription made with another VAPID key',
    answer: '400 `VapidPkHashMismatch`',
    done: SET_ASIDE,
    order: ['2', 'apple/otherkey', '0'],
    asked: [400],
    askedAgain: [],
    failed: `HTTP 400: ${ANOTHER_KEY}`,
    leaves: true,
  },
  {
    gateway: 'Apple, web',
    trigger: 'too many pushes for one browser',
    answer: '429 `TooManyRequests`, no `Retry-After`',
    done: AGAIN,
    order: ['2', 'apple/throttled', '1'],
    asked: [429, 201],
    askedAgain: [201],
  },
  {
    gateway: 'Apple, web',
    trigger: 'three pushes that show nothing',
    answer: '201 three times, then 410',
    done: 'sends none of them to Safari',
    order: ['2', 'apple/', '0'],
    push: { msg: undefined, sound: undefined, badge: undefined, silent: true, payload: { sync: 1 } },
    asked: [],
    failed: 'not sent: Safari ends a subscription after three pushes that show nothing',
  },
  {
    gateway: 'FCM, web',
    trigger: 'a subscription made with another VAPID key',
    answer: '403 “the VAPID credentials in the authorization header do not correspond …”',
    done: SET_ASIDE,
    order: ['2', 'google/otherkey', '0'],
    asked: [403],
    askedAgain: [],
    failed: `HTTP 403: ${ANOTHER_KEY}`,
    leaves: true,
  },
  {
    gateway: 'FCM, web',
    trigger: 'a stale subscription',
    answer: '404 “A valid push subscription endpoint should be specified …”',
    done: GONE,
    order: ['2', 'google/notfound', '0'],
    asked: [404],
    askedAgain: [],
    failed: 'HTTP 404',
    leaves: true,
  },
  {
    gateway: 'FCM, web',
    trigger: 'a VAPID token that it does not take',
    answer: '400, a page: `UnauthorizedRegistration`',
    done: 'does not blame the push: tries again, and pauses web push once ten browsers are told so',
    order: ['2', 'google/denied', '1'],
    asked: [400, 201],
    askedAgain: [201],
  },
  {
    gateway: 'FCM, web',
    trigger: 'a site that sends too much',
    answer: '429 with `Retry-After`',
    done: 'waits as long; pauses FCM once ten browsers in a row are told so; nothing is lost',
    order: ['2', 'google/quota', '1'],
    asked: [429, 201],
    askedAgain: [201],
  },
  {
    gateway: 'Mozilla',
    trigger: 'a subscription made with another VAPID key',
    answer: '401 `errno` 109',
    done: SET_ASIDE,
    order: ['2', 'mozilla/otherkey', '0'],
    asked: [401],
    askedAgain: [],
    failed: `HTTP 401: ${ANOTHER_KEY}`,
    leaves: true,
  },
  {
    gateway: 'Mozilla',
    trigger: 'one timeout of its database',
    answer: '503 `errno` 201 with `Retry-After: 120`',
    done: AGAIN,
    order: ['2', 'mozilla/busy', '1'],
    asked: [503, 201],
    askedAgain: [201],
  },
  {
    gateway: 'Mozilla',
    trigger: 'a message over 3,015 bytes for Firefox on Android',
    answer: '413 `errno` 104',
    done: 'pads to no more than that, then sends without padding, once',
    order: ['2', 'mozilla/small', '0'],
    push: { msg: 'x'.repeat(2700) },
    asked: [201],
  },
  {
    gateway: 'Mozilla',
    trigger: 'the browser has left',
    answer: '410 `errno` 106',
    done: GONE,
    order: ['2', 'mozilla/unregistered', '0'],
    asked: [410],
    askedAgain: [],
    failed: 'HTTP 410 errno 106',
    leaves: true,
  },
  {
    gateway: 'Mozilla',
    trigger: 'an endpoint that it never gave out',
    answer: '404 `errno` 102',
    done: GONE,
    order: ['2', 'mozilla/notfound', '0'],
    asked: [404],
    askedAgain: [],
    failed: 'HTTP 404 errno 102',
    leaves: true,
  },
  {
    gateway: 'Mozilla',
    trigger: 'its bridge to FCM or APNs',
    answer: '502 `errno` 901 or 903',
    done: AGAIN,
    order: ['2', 'mozilla/bridge', '1'],
    asked: [502, 201],
    askedAgain: [201],
  },
  {
    gateway: 'Mozilla',
    trigger: 'a Topic over 32 characters, or no TTL',
    answer: '400 `errno` 113 or 111',
    done: 'never sends such a push',
    order: ['2', 'mozilla/', '0'],
    push: { collapse: 'y'.repeat(64) },
    asked: [201],
    requests: (requests) =>
      requests.every(({ collapse, headers }) => (collapse ?? '').length <= 32 && headers['ttl'] !== undefined),
  },
  {
    gateway: 'Microsoft',
    trigger: 'a TTL of 0 without a cache policy',
    answer: '400 `Ttl value conflicts with X-WNS-Cache-Policy`',
    done: 'sends `X-WNS-Cache-Policy: no-cache` with it',
    order: ['2', 'microsoft/', '0'],
    push: { ttl: 0 },
    asked: [201],
    requests: (requests) => requests.every(({ headers }) => headers['x-wns-cache-policy'] === 'no-cache'),
  },
  {
    gateway: 'Microsoft',
    trigger: 'throttling',
    answer: '406 with `Retry-After`',
    done: AGAIN,
    order: ['2', 'microsoft/quota', '1'],
    asked: [406, 201],
    askedAgain: [201],
  },
  {
    gateway: 'Microsoft',
    trigger: 'a message that it drops',
    answer: '201 with `X-WNS-NotificationStatus: dropped`',
    done: 'counts it as failed, with that reason',
    order: ['2', 'microsoft/dropped', '0'],
    asked: [201],
    failed: 'HTTP 201: dropped by the push service',
  },
  {
    gateway: 'Microsoft',
    trigger: 'a channel that it throttles',
    answer: '201 with `X-WNS-NotificationStatus: channelThrottled`',
    done: AGAIN,
    order: ['2', 'microsoft/channelthrottled', '1'],
    asked: [201, 201],
    askedAgain: [201],
  },
  {
    gateway: 'any push service',
    trigger: 'HTTP/1.1 only by ALPN',
    answer: '201',
    done: 'sends over HTTP/1.1',
    order: ['2', 'older', '0'],
    asked: [201],
  },
  {
    gateway: 'ntfy',
    trigger: 'nobody has subscribed to the topic',
    answer: '507 `code` 50701',
    done: AGAIN,
    order: ['2', 'ntfy/nosubscriber', '1'],
    asked: [507, 201],
    askedAgain: [201],
  },
  {
    gateway: 'ntfy',
    trigger: 'a limit',
    answer: '429 `code` 42908',
    done: AGAIN,
    order: ['2', 'ntfy/throttled', '1'],
    asked: [429, 201],
    askedAgain: [201],
  },
  {
    gateway: 'a reverse proxy',
    trigger: 'Traefik without its backend, for everybody',
    answer: '404 `404 page not found` in plain text',
    done: KEEPS,
    order: ['2', 'proxy', '2'],
    all: true,
    asked: [404, 404, 201],
    askedAgain: [201],
    paused: 'HTTP 404: not of the push service itself',
  },
  {
    gateway: 'a reverse proxy',
    trigger: 'nginx without its backend, for everybody',
    answer: '502, a web page',
    done: KEEPS,
    order: ['2', 'nginx', '2'],
    all: true,
    asked: [502, 502, 201],
    askedAgain: [201],
    paused: 'HTTP 502 with a web page',
  },
  {
    gateway: 'APNs',
    trigger: 'a certificate of the other environment',
    answer: 'GOAWAY without error, last stream 0, `BadCertificateEnvironment`',
    done: 'tries the other environment, and asks it first from then on',
    order: ['0', '0007', '0'],
    asked: [null, 200],
    askedAgain: [200],
  },
  {
    gateway: 'APNs',
    trigger: 'one in a hundred, though the provider token is the same',
    answer: '429 `TooManyProviderTokenUpdates`',
    done: 'tries this device again; four in a row pause sending, and a success ends the pause',
    order: ['0', '4291', '1'],
    asked: [429, 200],
    askedAgain: [200],
  },
  {
    gateway: 'APNs',
    trigger: 'a provider token that it does not know for some minutes',
    answer: '403 `InvalidProviderToken`, then 200',
    done: 'pauses sending, names the reason, and sends again as soon as one is taken',
    order: ['0', '4030', '1'],
    all: true,
    asked: [403, 200],
    askedAgain: [200],
    paused: 'InvalidProviderToken',
  },
  {
    gateway: 'APNs',
    trigger: 'the app was gone before it registered again',
    answer: '410 with a `timestamp` before that',
    done: 'keeps the device',
    order: ['0', '4101', '0'],
    asked: [410],
    failed: 'Unregistered',
  },
  {
    gateway: 'APNs',
    trigger: 'a refusal, after which the connection takes one stream',
    answer: '400 `BadDeviceToken`, SETTINGS with one stream',
    done: 'goes on one request at a time until one is taken',
    order: ['0', '4006', '0'],
    asked: [400, 400],
    askedAgain: [],
    failed: 'BadDeviceToken',
    leaves: true,
  },
  {
    gateway: 'FCM',
    trigger: 'an iPhone whose app is gone',
    answer: '400 “APNs device token is disabled.” with `ApnsError` 410',
    done: 'unregisters the device',
    order: ['1', 'iphonegone', '0'],
    asked: [400],
    askedAgain: [],
    failed: 'INVALID_ARGUMENT: APNs Unregistered',
    leaves: true,
  },
  {
    gateway: 'FCM',
    trigger: 'the APNs key in Firebase is bad',
    answer: '401 `THIRD_PARTY_AUTH_ERROR` with `ApnsError` 403',
    done: 'tries this device later, and shows Apple’s reason',
    order: ['1', 'iphonekey', '1'],
    asked: [401, 200],
    askedAgain: [200],
  },
  {
    gateway: 'FCM',
    trigger: 'one unregistered token',
    answer: '401, empty',
    done: 'asks for no new access token, and sets the device aside, since others are taken',
    order: ['1', 'bodiless', '0'],
    othersGoOn: true,
    asked: [401, 401],
    askedAgain: [],
    failed: 'HTTP 401',
    leaves: true,
  },
  {
    gateway: 'FCM',
    trigger: 'one unregistered token',
    answer: '404 `NOT_FOUND` without details',
    done: 'sets the device aside, since others are taken',
    order: ['1', 'notfound', '0'],
    othersGoOn: true,
    asked: [404, 404],
    askedAgain: [],
    failed: 'NOT_FOUND',
    leaves: true,
  },
  {
    gateway: 'FCM',
    trigger: 'the quota of the project',
    answer: '429 `RESOURCE_EXHAUSTED` with `Retry-After`',
    done: 'pauses the project, then sends slowly at first',
    order: ['1', 'quota', '1'],
    asked: [429, 200],
    askedAgain: [200],
    paused: 'RESOURCE_EXHAUSTED',
  },
  {
    gateway: 'FCM',
    trigger: 'a message that is delivered all the same',
    answer: '503 `UNAVAILABLE`',
    done: 'tries again with the same tag: the phone shows one',
    order: ['1', 'delivered', '1'],
    asked: [503, 200],
    askedAgain: [200],
    requests: ([first, ...others]) => others.every(({ collapse }) => collapse === first?.collapse),
  },
  {
    gateway: 'FCM',
    trigger: 'Google’s front end',
    answer: '400, a web page',
    done: 'tries this device again, and does not blame the push',
    order: ['1', 'frontend', '1'],
    asked: [400, 200],
    askedAgain: [200],
  },
  {
    gateway: 'FCM',
    trigger: 'Google’s front end',
    answer: '502, a web page',
    done: 'tries this device again',
    order: ['1', 'badgateway', '1'],
    asked: [502, 200],
    askedAgain: [200],
  },
  {
    gateway: 'Google OAuth',
    trigger: 'a clock that is wrong',
    answer: '400 `invalid_grant` “Token must be a short-lived token …”',
    done: 'pauses sending, and asks whether this machine’s clock is right',
    order: ['1', 'oauthclock', '1'],
    asked: [401, 200],
    askedAgain: [200],
    paused: 'clock',
  },
  {
    gateway: 'Google OAuth',
    trigger: 'a service account key that is less than a minute old',
    answer: '400 `invalid_grant` “Invalid JWT Signature.”',
    done: 'pauses sending, and goes on once Google knows the key',
    order: ['1', 'oauthkey', '1'],
    asked: [401, 200],
    askedAgain: [200],
    paused: 'Invalid JWT Signature',
  },
]
