import { expect, test } from 'bun:test'
import { SCENARIOS } from '../../faults/scenarios/scenarios.ts'
import { ANSWERS, GRANT_REFUSALS } from '../../simulation/world/answer-tables.ts'
import { MISHAPS } from '../../simulation/world/wire/climate.ts'
import { REALITY } from './rows.ts'

/*
 * Each answer of the reality suite is met by a whole service in the fault table, and by the simulated worlds. By what
 * orders it: the fault, and the answer of a world as `GATEWAY STATUS WORDS`. `null`: it is not, for the reason beside it.
 */
const MET: Readonly<Record<string, readonly [fault: string | null, world: string | null]>> = {
  'apple/otherkey': ['browsers-other-key-apple', 'webpush 400 {"reason":"VapidPkHashMismatch"}'],
  'apple/throttled': ['browsers-apple-429', 'webpush 429 {"reason":"TooManyRequests"}'],
  'google/otherkey': ['browsers-other-key-google', 'webpush 403 the VAPID credentials in the authorization header'],
  'google/notfound': ['browsers-gone-google', 'webpush 404 A valid push subscription endpoint'],
  'google/denied': ['browsers-unauthorized', 'webpush 400 UnauthorizedRegistration'],
  'google/quota': ['browsers-429', 'webpush 429 '],
  'mozilla/otherkey': ['browsers-other-key-mozilla', 'webpush 401 {"code":401,"errno":109'],
  'mozilla/busy': ['browsers-database', 'webpush 503 {"code":503,"errno":201}'],
  'mozilla/small': ['browsers-small', 'webpush 413 {"code":413,"errno":104}'],
  'mozilla/unregistered': ['browsers-gone', 'webpush 410 '],
  'mozilla/notfound': ['browsers-gone-mozilla', 'webpush 404 {"code":404,"errno":102}'],
  'mozilla/bridge': ['browsers-bridge', 'webpush 502 {"code":502,"errno":903}'],
  'microsoft/quota': ['browsers-406', 'webpush 406 '],
  'microsoft/dropped': ['browsers-dropped', 'webpush 201 dropped'],
  'microsoft/channelthrottled': ['browsers-channel', 'webpush 201 channelThrottled'],
  // The worlds write HTTP/2 themselves.
  older: ['browsers-older', null],
  'ntfy/nosubscriber': ['browsers-nobody', 'webpush 507 {"code":50701}'],
  'ntfy/throttled': ['browsers-ntfy-limit', 'webpush 429 {"code":42908}'],
  proxy: ['browsers-proxy', 'webpush 404 404 page not found'],
  nginx: ['browsers-nginx', 'webpush 502 page'],
  '0007': ['apns-parting', 'connection parts with a word'],
  '4291': ['apns-updates', 'apns 429 TooManyProviderTokenUpdates'],
  '4030': ['apns-key', 'apns 403 InvalidProviderToken'],
  '4101': ['apns-gone-before', 'apns 410 Unregistered'],
  '4006': ['apns-narrow', 'connection allows one stream until one is taken'],
  iphonegone: ['one-iphone-gone', 'fcm 400 INVALID_ARGUMENT/410 Unregistered'],
  iphonekey: ['one-iphone-key', 'fcm 401 THIRD_PARTY_AUTH_ERROR/403 InvalidProviderToken'],
  bodiless: ['fcm-bodiless', 'fcm 401 NOTHING'],
  notfound: ['fcm-notfound', 'fcm 404 NO_DETAILS'],
  quota: ['429', 'fcm 429 RATE_LIMIT_EXCEEDED'],
  delivered: ['fcm-delivered', 'fcm 503 DELIVERED'],
  frontend: ['one-page', 'fcm 400 NOT_OF_GOOGLE'],
  badgateway: ['fcm-page', 'fcm 502 NOT_OF_GOOGLE'],
  oauthclock: ['oauth-clock', 'token 400 Invalid JWT: Token must be a short-lived token'],
  oauthkey: ['oauth-key', 'token 400 Invalid JWT Signature.'],
}

test('each row of the reality suite that Bellhop can meet is a fault, and an answer of the simulated worlds', () => {
  const orders = new Set(REALITY.map(({ order: [, order] }) => order).filter((order) => !order.endsWith('/')))
  expect(Object.keys(MET).toSorted()).toEqual([...orders].toSorted())
  const faults = new Set(SCENARIOS.map(({ name }) => name))
  const answers = [
    ...MISHAPS.map((mishap) => `connection ${mishap}`),
    ...GRANT_REFUSALS.map((words) => `token 400 ${words}`),
    ...Object.entries(ANSWERS).flatMap(([gateway, { busy, expired, ...lists }]) =>
      [busy, expired, ...Object.values(lists).flat()].map(([status, words]) => `${gateway} ${status} ${words}`),
    ),
  ]
  for (const [order, [fault, world]] of Object.entries(MET)) {
    if (fault !== null) expect([order, faults.has(fault)]).toEqual([order, true])
    if (world !== null) expect([order, answers.some((answer) => answer.startsWith(world))]).toEqual([order, true])
  }
})
