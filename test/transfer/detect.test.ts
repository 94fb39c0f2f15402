import { describe, expect, test } from 'bun:test'
import { detect } from '../../src/transfer/detect.ts'
import type { FormatName } from '../../src/transfer/record.ts'

function found(text: string | Uint8Array, told: FormatName | null = null) {
  return detect(typeof text === 'string' ? new TextEncoder().encode(text) : text, told)
}

const TOKEN = 'fcm'.repeat(40)

describe('what a file is', () => {
  test.each<[what: string, text: string, name: string, shape: object]>([
    [
      'an export of Bellhop',
      '{"format":"bellhop-export","version":1}\n{"kind":"device"}\n',
      'bellhop',
      { kind: 'lines' },
    ],
    [
      "OneSignal's CSV",
      'id,identifier,session_count,device_type,tags\n1,2,3,4,5\n',
      'onesignal',
      { kind: 'csv', separator: ',', columns: ['id', 'identifier', 'session_count', 'device_type', 'tags'] },
    ],
    [
      "OneSignal's players",
      '{"total_count":2,"offset":0,"limit":300,"players":[{"identifier":"x","device_type":0}]}',
      'onesignal',
      { kind: 'json', depth: 2, under: 'players' },
    ],
    [
      "Parse's installations",
      '{ "results": [\n{ "deviceToken": "x", "deviceType": "ios", "installationId": "i" }\n] }',
      'parse',
      { kind: 'json', depth: 2, under: 'results' },
    ],
    [
      'installations by mongoexport',
      '{"_id":"a","deviceToken":"x","deviceType":"ios","channels":[]}\n{"_id":"b"}\n',
      'parse',
      { kind: 'lines' },
    ],
    [
      'installations by mongoexport --jsonArray',
      '[{"_id":"a","deviceToken":"x","deviceType":"ios","channels":[]},\n{"_id":"b"}]\n',
      'parse',
      { kind: 'json', depth: 1, under: null },
    ],
    [
      'installations by mongoexport --pretty',
      '{\n\t"_id": "a",\n\t"deviceToken": "x",\n\t"deviceType": "ios",\n\t"channels": []\n}\n{',
      'parse',
      { kind: 'json', depth: 0, under: null },
    ],
    [
      'endpoints of SNS',
      '{"Endpoints": [{"EndpointArn": "arn:aws:sns:…"',
      'sns',
      { kind: 'json', depth: 2, under: 'Endpoints' },
    ],
    [
      'endpoints of Pinpoint, an object each',
      '{"ChannelType":"GCM","Address":"x","Id":"1"}\n{"ChannelType":"EMAIL","Address":"y"}\n',
      'pinpoint',
      { kind: 'json', depth: 0, under: null },
    ],
    [
      'pages of bindings, one after the other',
      '{"meta":{"key":"bindings"},"bindings":[{"sid":"BS1","binding_type":"apn","address":"x"}]}\n{"meta":{},"bindings":[]}',
      'twilio',
      { kind: 'json', depth: 2, under: 'bindings' },
    ],
    [
      "bindings as Twilio's CLI prints them",
      '[\n  {\n    "address": "x",\n    "bindingType": "apn"\n  }\n]',
      'twilio',
      { kind: 'json', depth: 1, under: null },
    ],
    [
      'subscriptions a line',
      '{"endpoint":"https://a/","keys":{"p256dh":"x","auth":"y"}}\n',
      'webpush',
      { kind: 'lines' },
    ],
    [
      'records with a subscription, pretty',
      '{\n "userId": "ann",\n "subscription": {\n  "endpoint": "https://a/",\n  "keys": { "p256dh": "x" }\n } }\n{',
      'webpush',
      { kind: 'json', depth: 0, under: null },
    ],
    [
      'subscriptions under keys',
      '{\n "ann": { "endpoint": "https://a/",\n  "keys": { "p256dh": "x" } } }',
      'webpush',
      { kind: 'json', depth: 1, under: null },
    ],
    [
      'subscriptions in a list under a key',
      '{\n "subscriptions": [ { "endpoint": "https://a/",\n  "keys": { "p256dh": "x" } } ] }',
      'webpush',
      { kind: 'json', depth: 2, under: null },
    ],
    [
      'subscriptions as a text in a column',
      String.raw`[{"user_id":7,"subscription":"{\"endpoint\":\"https://a/\",\"keys\":{\"p256dh\":\"x\"}}"}]`,
      'webpush',
      { kind: 'json', depth: 1, under: null },
    ],
    ['a list of records', '[{"token":"x"}]', 'firebase', { kind: 'json', depth: 1, under: null }],
    ['a list of tokens', `["${TOKEN}"]`, 'firebase', { kind: 'json', depth: 1, under: null }],
    ['a record a line', '{"fcmToken":"x"}\n{"fcmToken":"y"}', 'firebase', { kind: 'lines' }],
    ['installation IDs of Firebase', '[{"fid":"x"}]', 'firebase', { kind: 'json', depth: 1, under: null }],
    [
      'records under keys',
      '{"u1":{"name":{"first":"A"},"token":"x"}}',
      'firebase',
      { kind: 'json', depth: 1, under: null },
    ],
    [
      'a collection of Firestore',
      '{"__collections__":{"users":{"u1":{"fcmTokens":["x"]}}}}',
      'firebase',
      { kind: 'json', depth: 3, under: null },
    ],
    ['tokens under a key', '{"tokens":{"x":true}}', 'firebase', { kind: 'json', depth: 2, under: 'tokens' }],
    ['tokens of each line', '{"tokens":["x"],"uid":"u1"}\n{"tokens":["y"],"uid":"u2"}', 'firebase', { kind: 'lines' }],
    [
      'a CSV with semicolons',
      '\uFEFF"Token; of device";OS\nx;y\n',
      'csv',
      { kind: 'csv', separator: ';', columns: ['Token; of device', 'OS'] },
    ],
    ['a CSV with tabs', 'token\tos\nx\ty\n', 'csv', { kind: 'csv', separator: '\t', columns: ['token', 'os'] }],
    ['a CSV with one column', 'token\nx\n', 'csv', { kind: 'csv', separator: ',', columns: ['token'] }],
  ])('%s', (_, text, name, shape) => {
    expect(found(text)).toEqual({ kind: 'found', name, shape } as never)
  })

  test.each<[what: string, bytes: Uint8Array | string, problem: string]>([
    ['nothing', ' \n', 'is empty.'],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x74, 0]), 'is UTF-16: save it as UTF-8.'],
    ['a spreadsheet', 'PK\u0003\u0004…', 'is a ZIP archive or an .xlsx: unpack it, or save it as CSV.'],
    [
      'a database',
      'SQLite format 3\0…',
      'is a database: bellhop export writes what import reads, bellhop restore takes backups.',
    ],
    ['a picture', 'GIF89a\0', 'is no text.'],
    [
      'other JSON',
      '[{"name":"A"}]',
      'is JSON in which nothing is called as a token would be (token, fcmToken, fcm_token, registrationToken).',
    ],
  ])('%s is not read', (_, bytes, problem) => {
    expect(found(bytes)).toEqual({ kind: 'not-read', problem })
  })

  test('what it is told to be counts, where that can be', () => {
    expect(found('[{"deviceToken":"x"}]', 'parse')).toMatchObject({ name: 'parse' })
    expect(found('id,identifier,device_type\n', 'csv')).toMatchObject({ name: 'csv' })
    expect(found('a,b\n', 'parse')).toEqual({ kind: 'not-read', problem: 'is no JSON.' })
    expect(found('{"a":1}\n', 'csv')).toEqual({ kind: 'not-read', problem: 'is JSON, and no CSV.' })
    const lacks = (columns: string) => `has no column ${columns}, which each export of OneSignal has.`
    expect(found('a,b\n', 'onesignal')).toEqual({ kind: 'not-read', problem: lacks('identifier or device_type') })
    expect(found('identifier,b\n', 'onesignal')).toEqual({ kind: 'not-read', problem: lacks('device_type') })
  })

  test.each<[what: string, told: FormatName, text: string, problem: string]>([
    [
      'SNS said to be OneSignal',
      'onesignal',
      '{"Endpoints": [{"EndpointArn": "arn:aws:sns:…", "Attributes": {"Token": "x"}}]}',
      "looks like the endpoints of Amazon SNS, not like OneSignal's export: use --format sns.",
    ],
    [
      'Pinpoint said to be SNS',
      'sns',
      '{"ChannelType":"GCM","Address":"x"}\n',
      'looks like the endpoints of Amazon Pinpoint, not like the endpoints of Amazon SNS: use --format pinpoint.',
    ],
    [
      'Twilio said to be a CSV',
      'csv',
      '{"bindings":[{"binding_type":"apn","address":"x"}]}',
      'looks like the bindings of Twilio Notify, not like a CSV: use --format twilio.',
    ],
    [
      'Bellhop said to be tokens of Firebase',
      'firebase',
      '{"format":"bellhop-export","version":1}\n{"kind":"device","token":"x"}\n',
      'looks like an export of Bellhop, not like FCM tokens from a Firestore or Realtime Database export: use --format bellhop.',
    ],
    [
      'subscriptions said to be Parse',
      'parse',
      '[{"endpoint":"https://a/","keys":{"p256dh":"x","auth":"y"}}]',
      "looks like browser subscriptions of a web push library, not like Parse's installations: use --format webpush.",
    ],
    [
      "OneSignal's CSV said to be Twilio",
      'twilio',
      'id,identifier,device_type\n',
      "looks like OneSignal's export, not like the bindings of Twilio Notify: use --format onesignal.",
    ],
  ])('%s is not read, and named', (_, told, text, problem) => {
    expect(found(text, told)).toEqual({ kind: 'not-read', problem })
  })

  test('a table of tokens that has the columns of Parse may be said to be one', () => {
    const text = '[{"deviceToken":"x","deviceType":"ios","channels":[]}]'
    expect(found(text)).toMatchObject({ name: 'parse' })
    expect(found(text, 'firebase')).toMatchObject({ name: 'firebase' })
  })
})
