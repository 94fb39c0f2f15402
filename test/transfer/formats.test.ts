import { describe, expect, test } from 'bun:test'
import { pinpoint, sns } from '../../src/transfer/amazon.ts'
import { csvCellsOf, guessColumns, mapped, readColumnMap, csvRecordOf, separatorOf } from '../../src/transfer/csv.ts'
import { firebase } from '../../src/transfer/firebase.ts'
import { onesignal } from '../../src/transfer/onesignal.ts'
import { parse } from '../../src/transfer/parse.ts'
import type { Entry, Format } from '../../src/transfer/record.ts'
import { twilio } from '../../src/transfer/twilio.ts'
import { webpush } from '../../src/transfer/webpush.ts'

const APPLE = 'a1b2c3d4'.repeat(8)
const FCM = `eK3:APA91b${'x-Y_z0'.repeat(22)}`

/** What is said of the only device, without what is not said. */
function stated(format: Format, record: unknown, key: string | null = null): object {
  return saidOf(format.read(record, key))[0] ?? {}
}

function saidOf(entries: readonly Entry[]): object[] {
  return entries.map((entry) => {
    if (entry.kind !== 'device') return entry
    return Object.fromEntries(Object.entries(entry.stated).filter(([, value]) => value !== undefined))
  })
}

describe("OneSignal's export", () => {
  const ROW = {
    id: 'a1',
    identifier: APPLE,
    session_count: '12',
    language: 'en',
    timezone: '-25200',
    device_type: '0',
    tags: '{"plan":"pro","level":4}',
    last_active: '2025-09-02 08:00:00',
    created_at: '1700000000',
    invalid_identifier: 'f',
    badge_count: '3',
    external_user_id: 'user_42',
    timezone_id: 'America/Los_Angeles',
  }

  test('is read with everything that there is a place for', () => {
    expect(stated(onesignal, ROW)).toEqual({
      token: APPLE,
      platform: 0,
      alias: 'user_42',
      user: 'user_42',
      tag: ['plan:pro', 'level:4'],
      timezone: 'America/Los_Angeles',
      locale: 'en',
      badge: '3',
      registered_at: '1700000000',
      seen_at: '2025-09-02 08:00:00',
    })
  })

  test('is read from its API too, where tags are no text', () => {
    const record = {
      identifier: FCM,
      device_type: 1,
      tags: { plan: 'pro' },
      last_active: 1_756_800_000,
      badge_count: 0,
    }
    expect(stated(onesignal, record)).toEqual({
      token: FCM,
      platform: 1,
      tag: ['plan:pro'],
      badge: 0,
      seen_at: 1_756_800_000,
    })
  })

  test('has browsers, whose keys are in base64 of any kind', () => {
    const endpoint = 'https://updates.push.services.mozilla.com/wpush/v2/a'
    const browser = { ...ROW, identifier: endpoint, web_p256: 'BC+x/w==', web_auth: 'AA-_' }
    for (const type of [5, '8', 12, '17']) {
      expect(stated(onesignal, { ...browser, device_type: type })).toMatchObject({
        token: endpoint,
        platform: 2,
        keys: { p256dh: 'BC-x_w', auth: 'AA-_' },
      })
    }
    expect(stated(onesignal, { ...ROW, device_type: 5 })).not.toHaveProperty('keys')
    expect(stated(onesignal, browser)).not.toHaveProperty('keys')
  })

  const ONLY = 'only iOS (0), Android (1) and web push (5, 8, 12, 17) can be sent to'

  test.each([
    ['an email', { device_type: '11' }, 'device_type', `is 11 (email): ${ONLY}`],
    ["a token of Safari's older way", { device_type: 7 }, 'device_type', `is 7 (Safari before web push): ${ONLY}`],
    ['another type', { device_type: '99' }, 'device_type', `is 99: ${ONLY}`],
    ['no type', { device_type: '' }, 'device_type', `is empty: ${ONLY}`],
    [
      'who has unsubscribed',
      { invalid_identifier: 't' },
      'invalid_identifier',
      'is true: OneSignal counts this device as unsubscribed',
    ],
    [
      'who has never allowed it',
      { notification_types: '-2' },
      'notification_types',
      'is -2: OneSignal counts this device as not subscribed',
    ],
  ])('has %s, which is refused', (_, change, field, reason) => {
    expect(onesignal.read({ ...ROW, ...change }, null)).toEqual([{ kind: 'refused', field, reason }])
  })
})

describe("Parse's installations", () => {
  const REST = {
    objectId: 'Ed1nuqPvcm',
    deviceToken: APPLE,
    deviceType: 'ios',
    channels: ['', 'Giants', 'Mets'],
    badge: 2,
    timeZone: 'Europe/Berlin',
    localeIdentifier: 'de-DE',
    location: { __type: 'GeoPoint', latitude: 52.52, longitude: 13.405 },
    user: { __type: 'Pointer', className: '_User', objectId: 'g7y9tkhB7O' },
    createdAt: '2024-01-02T03:04:05.678Z',
    updatedAt: '2025-01-02T03:04:05.678Z',
  }
  const READ = {
    token: APPLE,
    platform: 0,
    alias: 'g7y9tkhB7O',
    user: 'g7y9tkhB7O',
    tag: ['Giants', 'Mets'],
    lat: 52.52,
    lng: 13.405,
    timezone: 'Europe/Berlin',
    locale: 'de-DE',
    badge: 2,
  }

  test('are read as its API writes them', () => {
    const times = { registered_at: '2024-01-02T03:04:05.678Z', seen_at: '2025-01-02T03:04:05.678Z' }
    expect(stated(parse, REST)).toEqual({ ...READ, ...times })
  })

  test('are read as mongoexport writes them', () => {
    const { createdAt, updatedAt, user: _, ...record } = REST
    const mongo = {
      ...record,
      _id: 'Ed1nuqPvcm',
      badge: { $numberInt: '2' },
      location: [13.405, 52.52],
      _p_user: '_User$g7y9tkhB7O',
      _created_at: { $date: createdAt },
      _updated_at: { $date: updatedAt },
    }
    expect(stated(parse, mongo)).toEqual({
      ...READ,
      badge: '2',
      registered_at: { $date: createdAt },
      seen_at: { $date: updatedAt },
    })
  })

  test('what a device is pushed through counts for more than what it is', () => {
    expect(stated(parse, { deviceToken: FCM, deviceType: 'android', pushType: 'gcm' })).toMatchObject({ platform: 1 })
    expect(stated(parse, { deviceToken: FCM, deviceType: 'ios', pushType: 'fcm' })).toMatchObject({ platform: 1 })
    const refused = [
      { kind: 'refused', field: 'pushType', reason: 'is "ppns": only ios and android (gcm, fcm) can be sent to' },
    ]
    expect(parse.read({ deviceToken: 'x', deviceType: 'android', pushType: 'ppns' }, null)).toEqual(refused as never)
  })

  test('of other devices are refused', () => {
    expect(parse.read({ deviceToken: 'x', deviceType: 'winrt' }, null)).toEqual([
      { kind: 'refused', field: 'deviceType', reason: 'is "winrt": only ios and android (gcm, fcm) can be sent to' },
    ])
    expect(parse.read('nonsense', null)).toMatchObject([{ kind: 'refused' }])
  })
})

describe('the endpoints of SNS', () => {
  const endpoint = (service: string, attributes: object) => ({
    EndpointArn: `arn:aws:sns:eu-central-1:123456789012:endpoint/${service}/CornerShop/8cc59243-2a5e-335b-aebb-fbac49e5f44e`,
    Attributes: attributes,
  })

  test('have a platform and an environment by their ARN', () => {
    const statedFor = (service: string) => stated(sns, endpoint(service, { Enabled: 'true', Token: APPLE }))
    expect(statedFor('APNS')).toEqual({ token: APPLE, platform: 0, environment: 'production' })
    expect(statedFor('APNS_SANDBOX')).toEqual({ token: APPLE, platform: 0, environment: 'sandbox' })
    expect(statedFor('GCM')).toEqual({ token: APPLE, platform: 1 })
  })

  test('that are disabled, or of another service, are refused', () => {
    const reason = 'is false: SNS has disabled this endpoint, which it does when its token is dead'
    expect(sns.read(endpoint('APNS', { Enabled: 'false', Token: APPLE }), null)).toEqual([
      { kind: 'refused', field: 'Enabled', reason },
    ])
    expect(sns.read(endpoint('APNS_VOIP', { Token: APPLE }), null)).toMatchObject([
      { field: 'EndpointArn', reason: 'is of APNS_VOIP: only APNS, APNS_SANDBOX and GCM can be sent to' },
    ])
    expect(sns.read({ Endpoint: 'x' }, null)).toMatchObject([
      { field: 'EndpointArn', reason: expect.stringContaining('is no ARN of an endpoint') as string },
    ])
  })
})

describe('the endpoints of Pinpoint', () => {
  /** As its API reference has them, EndpointResponse. */
  const ENDPOINT = {
    Id: 'example_endpoint',
    ApplicationId: 'app',
    Address: APPLE,
    ChannelType: 'APNS',
    OptOut: 'NONE',
    EndpointStatus: 'ACTIVE',
    CohortId: '41',
    Attributes: { Interests: ['Science', 'Music'] },
    Metrics: { level: 4 },
    Demographic: { Platform: 'iOS', AppVersion: '2.3.1', Locale: 'en_US', Timezone: 'Europe/Berlin', Make: 'Apple' },
    Location: { Latitude: 52.52, Longitude: 13.405, Country: 'DE' },
    User: { UserId: 'user_42', UserAttributes: { plan: ['pro'], Interests: ['Music'] } },
    CreationDate: '2024-01-02T03:04:05.678Z',
    EffectiveDate: '2025-01-02T03:04:05.678Z',
  }

  test('are read with everything that there is a place for', () => {
    expect(stated(pinpoint, ENDPOINT)).toEqual({
      token: APPLE,
      platform: 0,
      environment: 'production',
      alias: 'user_42',
      user: 'user_42',
      tag: ['Interests:Science', 'Interests:Music', 'plan:pro'],
      lat: 52.52,
      lng: 13.405,
      timezone: 'Europe/Berlin',
      locale: 'en_US',
      app_version: '2.3.1',
      registered_at: '2024-01-02T03:04:05.678Z',
      seen_at: '2025-01-02T03:04:05.678Z',
    })
  })

  test('may say little, or that an iPhone is reached through FCM', () => {
    expect(stated(pinpoint, { ChannelType: 'APNS_SANDBOX', Address: APPLE, User: null })).toEqual({
      token: APPLE,
      platform: 0,
      environment: 'sandbox',
    })
    const throughFcm = { ChannelType: 'GCM', Address: FCM, Demographic: { Platform: 'iOS' } }
    expect(stated(pinpoint, throughFcm)).toEqual({ token: FCM, platform: 1, fcm_platform: 'ios' })
  })

  const ONLY = 'only APNS, APNS_SANDBOX and GCM can be sent to'

  test.each([
    ['of an email', { ChannelType: 'EMAIL' }, 'ChannelType', `is EMAIL: ${ONLY}`],
    ['of no channel', { ChannelType: null }, 'ChannelType', `is empty: ${ONLY}`],
    ['of who opted out', { OptOut: 'ALL' }, 'OptOut', 'is ALL: this user wants no messages'],
    [
      'that is inactive',
      { EndpointStatus: 'INACTIVE' },
      'EndpointStatus',
      'is INACTIVE: Pinpoint does not send to this endpoint',
    ],
  ])('one %s is refused', (_, change, field, reason) => {
    expect(pinpoint.read({ ...ENDPOINT, ...change }, null)).toEqual([{ kind: 'refused', field, reason }])
  })
})

describe('the bindings of Twilio Notify', () => {
  const BINDING = {
    sid: 'BS1',
    address: APPLE,
    binding_type: 'apn',
    identity: '24987039',
    tags: ['26607274'],
    notification_protocol_version: '3',
    date_created: '2015-07-30T20:00:00Z',
    date_updated: '2016-07-30T20:00:00Z',
  }

  test('are read as the API lists them, and as the CLI prints them', () => {
    const read = {
      token: APPLE,
      platform: 0,
      alias: '24987039',
      user: '24987039',
      tag: ['26607274'],
      registered_at: '2015-07-30T20:00:00Z',
    }
    expect(stated(twilio, BINDING)).toEqual(read)
    const { binding_type, date_created, ...same } = BINDING
    const camel = { ...same, bindingType: binding_type, dateCreated: date_created }
    expect(stated(twilio, camel)).toEqual(read)
    for (const type of ['fcm', 'gcm']) {
      expect(stated(twilio, { ...BINDING, binding_type: type })).toMatchObject({ platform: 1 })
    }
  })

  test('of other channels are refused', () => {
    for (const type of ['sms', 'facebook-messenger', 'alexa', 'constructor']) {
      expect(twilio.read({ ...BINDING, binding_type: type }, null)).toEqual([
        { kind: 'refused', field: 'binding_type', reason: `is ${type}: only apn, fcm and gcm can be sent to` },
      ])
    }
  })
})

describe('subscriptions of browsers as sites keep them', () => {
  const ENDPOINT = 'https://updates.push.services.mozilla.com/wpush/v2/a'
  const KEYS = { p256dh: 'BC-x_w', auth: 'AA-_' }
  const SUBSCRIPTION = { endpoint: ENDPOINT, expirationTime: null, keys: KEYS }
  const READ = { token: ENDPOINT, platform: 2, keys: KEYS }

  test('alone, with flat keys, or in a record of the table with the user', () => {
    expect(stated(webpush, SUBSCRIPTION)).toEqual(READ)
    expect(stated(webpush, { endpoint: ENDPOINT, p256dh: 'BC+x/w==', auth: 'AA+/' })).toEqual(READ)
    const user = { user_id: 7, created_at: '2024-01-02' }
    const whose = { ...READ, user: '7', alias: '7', registered_at: '2024-01-02' }
    expect(stated(webpush, { ...user, ...SUBSCRIPTION })).toEqual(whose)
    expect(stated(webpush, { ...user, subscription: SUBSCRIPTION })).toEqual(whose)
    expect(stated(webpush, { ...user, subscription: JSON.stringify(SUBSCRIPTION) })).toEqual(whose)
    expect(stated(webpush, { ...user, type: 'web', data: SUBSCRIPTION })).toEqual(whose)
  })

  test('several to a user, and phones beside them', () => {
    const other = { ...SUBSCRIPTION, endpoint: `${ENDPOINT}b` }
    const read = saidOf(webpush.read({ userId: 'ann', subscriptions: [SUBSCRIPTION, other] }, null))
    expect(read).toMatchObject([
      { token: ENDPOINT, user: 'ann' },
      { token: `${ENDPOINT}b`, user: 'ann' },
    ])
    expect(stated(webpush, { userId: 'ann', token: FCM, subscription: null })).toMatchObject({
      token: FCM,
      platform: 1,
    })
    expect(webpush.read({ userId: 'ann' }, null)).toMatchObject([{ kind: 'refused', field: 'token' }])
  })
})

describe('FCM tokens as apps keep them', () => {
  const USER = 'Zk3dW9xQ2aVb7LmN0pRsTuYhGfE1'

  test('one to a record, under any of its usual names', () => {
    for (const name of ['token', 'fcmToken', 'fcm_token', 'registrationToken', 'device_token', 'pushToken']) {
      expect(
        stated(firebase, { [name]: FCM, platform: 'iOS', userId: 42, topics: { news: true, old: false } }),
      ).toEqual({
        token: FCM,
        platform: 1,
        fcm_platform: 'ios',
        alias: '42',
        user: '42',
        tag: ['news'],
      })
    }
  })

  test('several to a user, who is the key', () => {
    const other = FCM.replace('eK3', 'fL4')
    for (const tokens of [
      [FCM, other],
      { [FCM]: true, [other]: true },
      { phone: FCM, tablet: other },
      [{ token: FCM }, { token: other }],
      { '-Nx1': { token: FCM }, '-Nx2': { fcmToken: other } },
      { [FCM]: { platform: 'android' }, [other]: {} },
    ]) {
      expect(saidOf(firebase.read({ name: 'Ada', fcmTokens: tokens }, USER))).toMatchObject([
        { token: FCM, platform: 1, alias: USER, user: USER },
        { token: other, platform: 1, alias: USER, user: USER },
      ])
    }
  })

  test('bare, as keys or as values', () => {
    expect(stated(firebase, FCM)).toEqual({ token: FCM, platform: 1 })
    expect(stated(firebase, true, FCM)).toEqual({ token: FCM, platform: 1 })
    expect(stated(firebase, FCM, USER)).toEqual({ token: FCM, platform: 1, alias: USER, user: USER })
    expect(stated(firebase, { updatedAt: { _seconds: 1 } }, FCM)).toMatchObject({
      token: FCM,
      seen_at: { _seconds: 1 },
    })
  })

  test('installation IDs of Firebase, under their names or bare', () => {
    const fid = 'ctmBeCwtQDuDsClbyr6d3z'
    for (const record of [{ fid }, { installationId: fid }, { token: null, firebase_installation_id: fid }, fid]) {
      expect(stated(firebase, record)).toEqual({ token: fid, platform: 1 })
    }
    expect(saidOf(firebase.read({ fids: [fid, { fid }] }, USER))).toMatchObject([
      { token: fid, platform: 1, alias: USER },
      { token: fid, platform: 1, alias: USER },
    ])
    expect(stated(firebase, { installationId: fid, fcmToken: FCM })).toEqual({ token: FCM, platform: 1 })
    expect(firebase.read({ installationId: '5f0c9b6e-4a9b-4b0e-8a39-3f0c1d2e4a5b' }, null)).toMatchObject([
      { kind: 'refused', field: 'token' },
    ])
  })

  test('a token of Apple is sent to through Apple', () => {
    expect(stated(firebase, { token: APPLE, os: 'ios' })).toEqual({ token: APPLE, platform: 0 })
  })

  test('of browsers, and records without one, are refused', () => {
    expect(firebase.read({ token: FCM, platform: 'web' }, null)).toEqual([
      { kind: 'refused', field: 'platform', reason: 'is "web": only apps on iOS and Android can be sent to' },
    ])
    for (const record of [{ name: 'Ada' }, 'Ada', 3, null, { tokens: [] }, { tokens: { a: {} } }]) {
      const entries = firebase.read(record, 'short')
      expect(entries.every((entry) => entry.kind === 'refused' || entry.kind === 'device')).toBe(true)
      expect(entries.length).toBeGreaterThan(0)
    }
    expect(firebase.read({ name: 'Ada' }, USER)).toMatchObject([{ kind: 'refused', field: 'token' }])
  })
})

describe('a CSV', () => {
  test('is separated by what its header has most of', () => {
    expect(separatorOf('a,b;c')).toBe(',')
    expect(separatorOf('"a,b,c";d')).toBe(';')
    expect(separatorOf('a\tb')).toBe('\t')
  })

  test('has cells with quotation marks, separators and lines in them', () => {
    expect(csvCellsOf('a,"b ""c"", d",,"e\nf"', ',')).toEqual(['a', 'b "c", d', '', 'e\nf'])
    expect(csvCellsOf('5" screen,x"y', ',')).toEqual(['5" screen', 'x"y'])
    expect(csvCellsOf('"a"b,c', ',')).toEqual(['a', 'c'])
    expect(csvCellsOf('', ',')).toEqual([''])
  })

  test('may have fewer cells in a row than columns, not more', () => {
    expect(csvRecordOf(['a', 'b'], ['1'])).toEqual({ a: '1', b: '' })
    expect(csvRecordOf(['a'], ['1', '2'])).toBeNull()
  })

  test('has columns that speak for themselves', () => {
    expect(guessColumns(['installationId', 'os']).get('token')).toEqual(['installationId'])
    expect(guessColumns(['FID', 'token']).get('token')).toEqual(['token'])
    const columns = ['Device Token', 'OS', 'Alias', 'User ID', 'Last-Seen', 'Email', 'longitude', 'tags']
    expect(Object.fromEntries(guessColumns(columns))).toEqual({
      token: ['Device Token'],
      platform: ['OS'],
      alias: ['Alias'],
      user: ['User ID'],
      seen_at: ['Last-Seen'],
      lng: ['longitude'],
      tag: ['tags'],
    })
  })

  test('is mapped as it is told to be', () => {
    const { map, problems } = readColumnMap('token=Push Key, tag=Plan,tag=City', ['Push Key', 'Plan', 'City'])
    expect(problems).toEqual([])
    expect(Object.fromEntries(map)).toEqual({ token: ['Push Key'], tag: ['Plan', 'City'] })
    expect(readColumnMap('token,tokn=x,tag=Town', ['City']).problems).toEqual([
      '"token" is not FIELD=COLUMN',
      expect.stringContaining('"tokn" is not one of token, platform, alias, user') as string,
      'there is no column "Town", but "City"',
    ])
  })

  test('has lists in a cell, with | between or as JSON, and platforms by any name', () => {
    const map = readColumnMap('token=t,platform=p,tag=a,tag=b', null).map
    const said = (record: object) => saidOf([mapped(record as never, map)])[0]
    expect(said({ t: ' x ', p: 'iPhone', a: 'one | two|', b: '["th|ree"]' })).toEqual({
      token: 'x',
      platform: 0,
      tag: ['one', 'two', 'th|ree'],
    })
    expect(said({ t: 'x', p: 'windows', a: '', b: '[not JSON' })).toEqual({
      token: 'x',
      platform: 'windows',
      tag: ['[not JSON'],
    })
  })
})
