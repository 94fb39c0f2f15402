import { describe, expect, test } from 'bun:test'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { describeApns, describeFcm, readApnsKey, readServiceAccount } from '../../src/application/credential.ts'

const p8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' })

const KEY = { p8, keyId: 'ABC123DEFG', teamId: 'TEAM123456', topic: 'com.example.app', environment: 'auto' } as const

describe('an APNs key', () => {
  test('is read with its key id, team id, topic and environment', () => {
    const { p8: privateKey, ...rest } = KEY
    expect(readApnsKey(KEY)).toEqual({ kind: 'key', privateKey, ...rest })
  })

  test('is read whatever its line ends and the byte order mark and blank lines around it', () => {
    const credential = readApnsKey({ ...KEY, p8: `\uFEFF${p8.replaceAll('\n', '\r\n')}\r\n` })
    expect(credential).toMatchObject({ kind: 'key', privateKey: p8 })
  })

  test('that is not PEM, or a public key, is a problem', () => {
    const problem = {
      kind: 'problem' as const,
      problem: 'The APNs key is not a PEM private key: expected the .p8 file from Apple, -----BEGIN PRIVATE KEY-----.',
    }
    const publicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    for (const bad of ['', 'AuthKey', publicKey.export({ type: 'spki', format: 'pem' })]) {
      expect(readApnsKey({ ...KEY, p8: bad })).toEqual(problem)
    }
  })

  test.each([
    [
      'secp384r1',
      generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    ],
    ['rsa', rsa],
  ])('of kind %s is a problem', (kind, other) => {
    expect(readApnsKey({ ...KEY, p8: other })).toEqual({
      kind: 'problem',
      problem: `The APNs key is of kind ${kind}: expected elliptic curve P-256, as in Apple's .p8 file.`,
    })
  })

  test.each(['', 'ABC123DEF', 'ABC123DEFGH', 'abc123defg', 'ABC123DEF\n', 'ABC123DEFG\n'])(
    'with %j for a key id or team id is a problem',
    (id) => {
      const expected = 'is not 10 characters of A-Z and 0-9.'
      expect(readApnsKey({ ...KEY, keyId: id })).toEqual({ kind: 'problem', problem: `The key id ${expected}` })
      expect(readApnsKey({ ...KEY, teamId: id })).toEqual({ kind: 'problem', problem: `The team id ${expected}` })
    },
  )

  test.each([
    '',
    'app',
    'com.example.',
    'com..example',
    'com.example app',
    'com.example\r\napns-id',
    'com.example_app',
  ])('with the topic %j is a problem', (topic) => {
    expect(readApnsKey({ ...KEY, topic })).toEqual({
      kind: 'problem',
      problem:
        'The topic is not a bundle id: expected letters, digits and hyphens, with periods between, as in com.example.app.',
    })
  })

  test('is described without the key itself', () => {
    const { p8: privateKey, ...rest } = KEY
    const shown = describeApns({ kind: 'key', privateKey, ...rest })
    expect(shown).toEqual({ kind: 'key', ...rest })
  })
})

const ACCOUNT = {
  type: 'service_account',
  project_id: 'demo-project',
  private_key_id: '0123456789abcdef',
  private_key: rsa,
  client_email: 'push@demo-project.iam.gserviceaccount.com',
  token_uri: 'https://169.254.169.254/token',
}

function read(changes: Record<string, unknown> = {}) {
  return readServiceAccount(JSON.stringify({ ...ACCOUNT, ...changes }))
}

describe('a service account', () => {
  test('is read without its token_uri', () => {
    expect(read()).toEqual({
      kind: 'service-account',
      projectId: 'demo-project',
      clientEmail: 'push@demo-project.iam.gserviceaccount.com',
      privateKey: rsa,
      privateKeyId: '0123456789abcdef',
    })
  })

  test.each(['project_id', 'client_email', 'private_key', 'private_key_id'])('without %s is a problem', (field) => {
    const expected = { kind: 'problem' as const, problem: `The service account lacks ${field}.` }
    for (const value of [undefined, null, '', 7]) expect(read({ [field]: value })).toEqual(expected)
  })

  test('is told all the fields it lacks at once', () => {
    expect(readServiceAccount('{"type":"service_account","project_id":"demo-project"}')).toEqual({
      kind: 'problem',
      problem: 'The service account lacks client_email, private_key, private_key_id.',
    })
  })

  test('that is not JSON is a problem whose text holds nothing of the file', () => {
    for (const text of ['', 'null', '"text"', `{"private_key":"${rsa}"`]) {
      expect(readServiceAccount(text)).toEqual({
        kind: 'problem',
        problem: 'The service account is not a JSON object.',
      })
    }
  })

  test('of another type is a problem', () => {
    for (const type of [undefined, 'authorized_user']) {
      expect(read({ type })).toEqual({
        kind: 'problem',
        problem: 'The file is not a service account key: expected "type": "service_account".',
      })
    }
  })

  test.each(['abc', 'google.com:demo', '../demo', 'demo/messages', 'Demo', 'x'.repeat(31), 'demo\n'])(
    'with the project_id %j is a problem',
    (id) => {
      expect(read({ project_id: id })).toEqual({
        kind: 'problem',
        problem: 'The project_id of the service account is not 4 to 30 characters of a-z, 0-9 and hyphen.',
      })
    },
  )

  test('with a client_email that is none is a problem', () => {
    expect(read({ client_email: 'push' })).toEqual({
      kind: 'problem',
      problem: 'The client_email of the service account is not an e-mail address.',
    })
  })

  test('with a private_key that is not RSA, or too short for RS256, is a problem', () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    })
    for (const key of ['nonsense', p8, short]) {
      expect(read({ private_key: key })).toEqual({
        kind: 'problem',
        problem: 'The private_key of the service account is not an RSA private key of 2048 bits or more in PEM.',
      })
    }
  })

  test('is stored as PKCS #8, whichever PEM it came in', () => {
    const pkcs1 = createPrivateKey(rsa).export({ type: 'pkcs1', format: 'pem' })
    expect(read({ private_key: pkcs1 })).toMatchObject({ kind: 'service-account', privateKey: rsa })
  })

  test('is described without the key itself', () => {
    const account = read()
    if (account.kind === 'problem') throw new Error(account.problem)
    expect(describeFcm(account)).toEqual({
      kind: 'service-account',
      projectId: 'demo-project',
      clientEmail: 'push@demo-project.iam.gserviceaccount.com',
      privateKeyId: '0123456789abcdef',
    })
  })
})
