import { describe, expect, test } from 'bun:test'
import { exclusionsBy } from '../../../src/audience/exclusion.ts'
import type { DeviceTraits, Filter } from '../../../src/audience/filter.ts'
import { explain } from '../../../src/push/explain/explain.ts'
import type {
  DeviceFacts,
  ExceptionFacts,
  ExplainFacts,
  ExplainVerdict,
} from '../../../src/push/explain/explanation.ts'
import { EVERYBODY } from '../../audience/population.ts'

const at = (time: string) => Date.parse(`2026-11-20T${time}:00Z`)
const NOW = 'This is based on the device as it is now.'

const DEVICE: DeviceFacts = {
  platform: 0,
  state: 'registered',
  tokenWarning: null,
  registeredAt: at('08:00'),
  seenAt: at('08:00'),
  left: null,
}

/** Accepted, if nothing else is said. */
const FACTS: ExplainFacts = {
  push: { sendAt: null, releasedAt: at('09:00'), cancelledAt: null },
  device: DEVICE,
  adopted: null,
  receipts: [],
  exception: null,
  registeredSince: false,
  exclusions: [],
  delivery: { passed: true, nobody: false, finishedAt: at('09:01'), refused: null, expiresAt: at('21:00') },
  pause: null,
}

const device = (more: Partial<DeviceFacts>) => ({ device: { ...DEVICE, ...more } })
const push = (more: Partial<ExplainFacts['push']>) => ({ push: { ...FACTS.push, ...more } })
const exception = (more: Partial<ExceptionFacts>) => ({
  exception: {
    state: 'retry',
    cancelled: false,
    reason: 'TooManyRequests',
    attempts: 2,
    at: at('09:05'),
    ...more,
  } as const,
})
const MUTED = { field: 'except_tags', why: 'has the tag "muted", which the push excludes' }
const NOT_BETA = { field: 'tags', why: 'does not have the tag "beta", which the push addresses' }
const OPENED = { event: 'opened', action: null, at: at('09:30') } as const
const LEFT = { reason: 'Unregistered', at: at('08:30') }
const LEFT_SINCE = { reason: 'BadDeviceToken', at: at('10:00') }

const CASES: readonly (readonly [
  verdict: ExplainVerdict,
  about: string,
  more: Partial<ExplainFacts>,
  explanation: string,
])[] = [
  [
    'accepted',
    'without a word to the contrary',
    {},
    `APNs took the notification, which is not the same as shown: the phone may be off, or its owner may have notifications turned off. ${NOW}`,
  ],
  [
    'rejected',
    'and its token is none of Apple',
    {
      ...device({ tokenWarning: 'not an APNs device token: it is too short: 6 of at least 64 hex digits' }),
      ...exception({ state: 'rejected', reason: 'BadDeviceToken' }),
    },
    'The token is not an APNs device token: it is too short: 6 of at least 64 hex digits. It was quarantined at 2026-11-20T09:05:00.000Z; the app must register the token it gets from Apple.',
  ],
  [
    'quarantined',
    'since its token is none of Apple',
    device({
      state: 'quarantined',
      left: LEFT_SINCE,
      tokenWarning: 'not an APNs device token: it looks like a UUID',
    }),
    'The token is not an APNs device token: it looks like a UUID. It was quarantined at 2026-11-20T10:00:00.000Z; the app must register the token it gets from Apple.',
  ],
  [
    'accepted',
    'and was away at some time',
    device({ left: LEFT, seenAt: at('11:00') }),
    `APNs took the notification, which is not the same as shown: the phone may be off, or its owner may have notifications turned off. ${NOW} It was reported as unregistered at 2026-11-20T08:30:00.000Z and has registered again: if that was after the push, it was not addressed.`,
  ],
  [
    'opened',
    'whatever else is known',
    { receipts: [OPENED], device: null, ...exception({ state: 'gone' }) },
    'The app reported that the push was opened, at 2026-11-20T09:30:00.000Z.',
  ],
  [
    'received',
    'whatever else is known',
    { receipts: [{ event: 'received', action: null, at: at('09:20') }], ...exception({ state: 'retry' }) },
    'The app reported that the push was received, at 2026-11-20T09:20:00.000Z.',
  ],
  [
    'opened',
    'and all else that the app has said',
    {
      receipts: [
        { event: 'received', action: null, at: at('09:20') },
        { event: 'action', action: 'a "b"', at: at('09:25') },
        OPENED,
      ],
    },
    'The app reported that the push was received, at 2026-11-20T09:20:00.000Z; was answered by the action "a \\"b\\"", at 2026-11-20T09:25:00.000Z; was opened, at 2026-11-20T09:30:00.000Z.',
  ],
  [
    'opened',
    'also by an action alone',
    { receipts: [{ event: 'action', action: 'reply', at: at('09:25') }] },
    'The app reported that the push was answered by the action "reply", at 2026-11-20T09:25:00.000Z.',
  ],
  [
    'not_registered',
    '',
    { device: null },
    'No device of this application has this token: it was never registered, or has been deleted.',
  ],
  [
    'registered_later',
    'also where a field would leave it out',
    { registeredSince: true, exclusions: [MUTED], ...device({ registeredAt: at('10:00') }) },
    'The device registered at 2026-11-20T10:00:00.000Z, after the push was sent, so it was not addressed.',
  ],
  [
    'excluded',
    'by one field',
    { exclusions: [MUTED] },
    `The push excluded the device: it has the tag "muted", which the push excludes. ${NOW}`,
  ],
  [
    'excluded',
    'by several',
    { exclusions: [MUTED, NOT_BETA] },
    `The push excluded the device: it has the tag "muted", which the push excludes, and does not have the tag "beta", which the push addresses. ${NOW}`,
  ],
  ['excluded', 'by no field that can be named', { delivery: null }, `The push did not address the device. ${NOW}`],
  [
    'excluded',
    'from a push that is still to come',
    { exclusions: [MUTED], ...push({ releasedAt: null, sendAt: at('20:00') }) },
    'The push goes out at 2026-11-20T20:00:00.000Z, and leaves the device out as it is now: it has the tag "muted", which the push excludes.',
  ],
  [
    'scheduled',
    '',
    push({ releasedAt: null, sendAt: at('20:00') }),
    'The push goes out at 2026-11-20T20:00:00.000Z, and addresses the device as it is now.',
  ],
  [
    'gone',
    'before the push',
    device({ state: 'gone', left: LEFT }),
    'APNs has declared the token gone at 2026-11-20T08:30:00.000Z (Unregistered), so it was not addressed; the device must register again.',
  ],
  [
    'gone',
    'after the push',
    device({ platform: 1, state: 'gone', left: LEFT_SINCE }),
    'FCM has declared the token gone at 2026-11-20T10:00:00.000Z (BadDeviceToken), which was after the push had gone out: no failure of this push is on record for it.',
  ],
  [
    'gone',
    'before a push that is still to come',
    { ...device({ state: 'gone', left: LEFT_SINCE }), ...push({ releasedAt: null, sendAt: at('20:00') }) },
    'APNs has declared the token gone at 2026-11-20T10:00:00.000Z (BadDeviceToken), so it was not addressed; the device must register again.',
  ],
  [
    'quarantined',
    'before the push',
    device({ state: 'quarantined', left: { ...LEFT, reason: 'BadDeviceToken' } }),
    'APNs has declared the token bad at 2026-11-20T08:30:00.000Z (BadDeviceToken), so it was not addressed; the device must register again.',
  ],
  [
    'quarantined',
    'so long ago that the reason is erased',
    device({ state: 'quarantined' }),
    'APNs has declared the token bad; the device must register again.',
  ],
  [
    'gone',
    'says the answer to this push, before what it is now',
    { ...exception({ state: 'gone', reason: 'Unregistered', attempts: 1 }), exclusions: [MUTED] },
    'The app had been removed from the device when it was sent to, at 2026-11-20T09:05:00.000Z: Unregistered.',
  ],
  [
    'rejected',
    '',
    exception({ state: 'rejected', reason: 'PayloadTooLarge' }),
    'APNs refused the notification for this device at 2026-11-20T09:05:00.000Z: PayloadTooLarge.',
  ],
  [
    'retrying',
    '',
    exception({}),
    'APNs did not take it (TooManyRequests); the next attempt is due at 2026-11-20T09:05:00.000Z.',
  ],
  [
    'retrying',
    'while sending is paused',
    { ...exception({}), pause: 'InvalidProviderToken' },
    'APNs did not take it (TooManyRequests); the next attempt is due at 2026-11-20T09:05:00.000Z, but sending is paused: InvalidProviderToken.',
  ],
  [
    'retrying',
    'unless the push ends before',
    exception({ at: at('22:00') }),
    "APNs did not take it (TooManyRequests); the next attempt would be due at 2026-11-20T22:00:00.000Z, after the push's time to live, which ends at 2026-11-20T21:00:00.000Z.",
  ],
  [
    'retrying',
    'after a stop, before it was sent',
    exception({ attempts: 0, reason: 'stopped' }),
    'It was not sent yet; the next attempt is due at 2026-11-20T09:05:00.000Z.',
  ],
  [
    'waiting',
    'for an answer',
    exception({ state: 'leased', reason: 'no answer yet' }),
    'The notification was sent, and APNs has not answered yet.',
  ],
  [
    'waiting',
    'for its page',
    { delivery: { passed: false, nobody: false, finishedAt: null, refused: null, expiresAt: at('21:00') } },
    `It is being sent, and has not come to this device yet. ${NOW}`,
  ],
  [
    'waiting',
    'while sending is paused',
    {
      delivery: { passed: false, nobody: false, finishedAt: null, refused: null, expiresAt: at('21:00') },
      pause: 'InvalidProviderToken',
    },
    `Sending is paused (InvalidProviderToken), and the push has not come to this device yet. ${NOW}`,
  ],
  [
    'expired',
    'after attempts',
    exception({ state: 'expired', at: at('21:00') }),
    "The push's time to live ended at 2026-11-20T21:00:00.000Z, before an attempt succeeded. The last one failed with: TooManyRequests.",
  ],
  [
    'expired',
    'while it waited to be sent',
    exception({ state: 'expired', attempts: 0, at: at('21:00') }),
    "The push's time to live ended at 2026-11-20T21:00:00.000Z, before the notification was sent to this device.",
  ],
  [
    'expired',
    'after an answer that came too late',
    exception({ state: 'expired', reason: 'deadline', at: at('21:01') }),
    "The push's time to live ended at 2026-11-20T21:00:00.000Z, before an attempt succeeded. The last one failed with: deadline.",
  ],
  [
    'expired',
    'since the gateway asked for more time than was left',
    exception({ state: 'expired' }),
    "APNs did not take it at 2026-11-20T09:05:00.000Z (TooManyRequests), and asked for a wait beyond the push's time to live, which ends at 2026-11-20T21:00:00.000Z. So it is not sent again.",
  ],
  [
    'expired',
    'where too little time was left for another attempt',
    exception({ state: 'expired', at: at('20:59') }),
    "APNs did not take it at 2026-11-20T20:59:00.000Z (TooManyRequests). The push's time to live, which ends at 2026-11-20T21:00:00.000Z, leaves no time for another attempt.",
  ],
  [
    'expired',
    'before it was reached',
    { delivery: { passed: false, nobody: false, finishedAt: at('21:00'), refused: null, expiresAt: at('21:00') } },
    `The push's time to live ended at 2026-11-20T21:00:00.000Z, before it had come to this device. ${NOW}`,
  ],
  [
    'cancelled',
    'while it waited for another attempt',
    { ...exception({ state: 'expired', cancelled: true, reason: 'cancelled' }), ...push({ cancelledAt: at('09:04') }) },
    'The push was cancelled at 2026-11-20T09:04:00.000Z, before the device could be reached.',
  ],
  [
    'cancelled',
    'before it was reached',
    {
      delivery: { passed: false, nobody: false, finishedAt: at('09:02'), refused: null, expiresAt: at('21:00') },
      ...push({ cancelledAt: at('09:02') }),
    },
    `The push was cancelled at 2026-11-20T09:02:00.000Z, before it had come to this device. ${NOW}`,
  ],
  [
    'waiting',
    'for what was sent before a cancel',
    {
      delivery: { passed: false, nobody: false, finishedAt: null, refused: null, expiresAt: at('21:00') },
      ...push({ cancelledAt: at('09:02') }),
    },
    `The push was cancelled at 2026-11-20T09:02:00.000Z, and waits for answers to what was sent before. Whether it was sent to this device is not known yet. ${NOW}`,
  ],
  [
    'cancelled',
    'before it went out',
    { delivery: null, ...push({ releasedAt: null, sendAt: at('20:00'), cancelledAt: at('10:00') }) },
    'The push was cancelled at 2026-11-20T10:00:00.000Z, before it was sent.',
  ],
]

describe('why a device did, or did not, get a push:', () => {
  test.each(CASES)('%s %s', (verdict, _, more, explanation) => {
    const found = explain({ ...FACTS, ...more })
    expect([found.verdict, found.explanation]).toEqual([verdict, explanation])
  })

  test('a push is cancelled and yet accepted, where it was faster', () => {
    expect(explain({ ...FACTS, ...push({ cancelledAt: at('09:01') }) }).verdict).toBe('accepted')
  })

  test('the fields that leave it out are named', () => {
    const { excludedBy, judgedNow } = explain({ ...FACTS, exclusions: [MUTED, NOT_BETA] })
    expect({ excludedBy, judgedNow }).toEqual({ excludedBy: ['except_tags', 'tags'], judgedNow: true })
  })

  test('what is written down is not judged by the device as it is now', () => {
    for (const more of [exception({}), exception({ state: 'rejected' }), { receipts: [OPENED] }]) {
      expect(explain({ ...FACTS, ...more }).judgedNow).toBeUndefined()
    }
  })
})

describe('the fields that leave a device out:', () => {
  const NONE: Filter = { ...EVERYBODY, platforms: [0, 1], asOf: at('12:00') }
  const TRAITS: DeviceTraits = {
    id: 17,
    platform: 1,
    tag: ['a', 'b'],
    active: ['news'],
    alias: 'user-17',
    user: 'ann',
    lat: 52.5,
    lng: 13.4,
    registeredAt: at('08:00'),
    seenAt: at('10:00'),
    timezone: 'Europe/Berlin',
    movedAt: at('09:00'),
  }
  const HOUR_MS = 60 * 60 * 1000

  const FIELDS: readonly (readonly [field: string, Partial<Filter>, why: string])[] = [
    ['platform', { platforms: [0] }, 'is an Android device, which the push does not address'],
    ['tags', { tags: ['x', 'y'] }, 'has none of the tags "x", "y" that the push addresses'],
    ['users', { users: ['bob'] }, 'belongs to the user "ann", whom the push does not address'],
    ['except_users', { exceptUsers: ['ann', 'bob'] }, 'belongs to the user "ann", whom the push excludes'],
    ['tags', { tags: [] }, 'cannot match "tags", which is empty'],
    ['tags', { tags: [], tagsMatch: 'all' }, 'cannot match "tags", which is empty'],
    ['tags', { tags: ['a', 'x'], tagsMatch: 'all' }, 'lacks the tag "x", which the push requires'],
    ['except_tags', { exceptTags: ['x', 'b', 'a'] }, 'has the tags "b", "a", which the push excludes'],
    ['active', { active: ['chat'] }, 'does not have the type "chat", which the push addresses'],
    ['except_active', { exceptActive: ['news'] }, 'has the type "news", which the push excludes'],
    ['alias', { alias: 'user-"1"' }, 'does not have the alias "user-\\"1\\""'],
    ['except_alias', { exceptAlias: 'user-17' }, 'has the alias "user-17", which the push excludes'],
    [
      'tags',
      { tags: ['1', '2', '3', '4', '5', '6'] },
      'has none of the tags "1", "2", "3", "4", "5" … that the push addresses',
    ],
    [
      'near',
      { near: { lat: 48.1, lng: 11.6, radiusKm: 5 } },
      'is not within 5 km of the place that the push addresses',
    ],
    [
      'seen_within',
      { seenWithinMs: HOUR_MS },
      'last registered at 2026-11-20T10:00:00.000Z, longer ago than "seen_within" allows',
    ],
    [
      'not_seen_for',
      { notSeenForMs: 3 * HOUR_MS },
      'registered at 2026-11-20T10:00:00.000Z, more recently than "not_seen_for" allows',
    ],
    [
      'registered_within',
      { registeredWithinMs: HOUR_MS },
      'first registered at 2026-11-20T08:00:00.000Z, longer ago than "registered_within" allows',
    ],
    ['where', { where: { not: { tag: 'a' } } }, 'does not meet the condition in "where"'],
    ['tokens', { devices: [16, 18] }, 'is not one of the devices whose tokens the push names'],
    [
      'send_at_local',
      { zones: ['Asia/Tokyo', null] },
      'is in a time zone (Europe/Berlin) that nobody was in when its turn came',
    ],
    [
      'send_at_local',
      { zones: ['Europe/Berlin'], stayedSince: at('09:00') },
      'has changed its time zone (Europe/Berlin) while the push went around the world',
    ],
  ]
  test.each(FIELDS)('%s %j', (field, more, why) => {
    expect(exclusionsBy({ ...NONE, ...more }, TRAITS)).toEqual([{ field, why }])
  })

  test('a device without a location is near nothing', () => {
    const near = { lat: 52.5, lng: 13.4, radiusKm: 5 }
    expect(exclusionsBy({ ...NONE, near }, TRAITS)).toEqual([])
    const nowhere = { ...TRAITS, lat: null, lng: null }
    expect(exclusionsBy({ ...NONE, near }, nowhere)).toEqual([
      { field: 'near', why: 'has no location, and the push addresses devices near a place' },
    ])
  })

  test('several, in the order of the documentation', () => {
    const filter = { ...NONE, exceptAlias: 'user-17', tags: ['x'] }
    expect(exclusionsBy(filter, TRAITS).map(({ field }) => field)).toEqual(['tags', 'except_alias'])
  })
})
