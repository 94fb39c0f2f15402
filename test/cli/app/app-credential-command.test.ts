import { describe, expect, test } from 'bun:test'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createCredentialStore } from '../../../src/application/credential-store.ts'
import type { ApnsCredential, FcmCredential } from '../../../src/application/credential.ts'
import { makeAppleCertificate } from '../../application/apple-certificate.ts'
import { keyOf, openShop, refused, withShop } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

const pem = {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
} as const
const P8 = generateKeyPairSync('ec', { namedCurve: 'P-256', ...pem }).privateKey
const APPLE = makeAppleCertificate()
const SERVICE_ACCOUNT = JSON.stringify({
  type: 'service_account',
  project_id: 'corner-shop',
  client_email: 'push@corner-shop.iam.gserviceaccount.com',
  private_key: APPLE.privateKey,
  private_key_id: 'abc',
})
const HEX = '0123456789abcdef'.repeat(4)
const KEY_FLAGS = ['--key-id', 'ABC123DEFG', '--team-id', 'DEF123GHIJ', '--topic', 'com.example.shop']

/** Opened with this sealing key. */
function stored(cli: CommandLine, key: Uint8Array): { apns: ApnsCredential | null; fcm: FcmCredential | null } {
  using shop = openShop(cli)
  const credentials = createCredentialStore({ ...shop, key })
  return {
    apns: credentials.credentialOf(shop.application, 'apns'),
    fcm: credentials.credentialOf(shop.application, 'fcm'),
  }
}

function certificateFile(cli: CommandLine, password?: string): string {
  const key =
    password === undefined
      ? APPLE.privateKey
      : createPrivateKey(APPLE.privateKey).export({
          type: 'pkcs8',
          format: 'pem',
          cipher: 'aes-256-cbc',
          passphrase: password,
        })
  return cli.file('push.pem', `${APPLE.certificate}${key}`)
}

describe('app apns --key', () => {
  test('stores the key, sealed with a new key in the data directory, and says so', async () => {
    using cli = await withShop()
    const file = cli.file('AuthKey.p8', P8)
    const { stdout, ...rest } = await cli.run(['app', 'apns', 'Shop', '--key', file, ...KEY_FLAGS])
    expect({ ...rest, stdout: stdout.split('\n') }).toEqual({
      exitCode: 0,
      stdout: [
        '"Shop" has an APNs credential: key ABC123DEFG of team DEF123GHIJ, topic com.example.shop, environment auto.',
        `Credentials are sealed with the new key ${cli.data}/key: keep a copy of it, separate from the database.`,
        expect.stringMatching(/^Check it with: bellhop doctor app_\w+$/),
        '',
      ],
      stderr: '',
    })
    expect(stored(cli, keyOf(cli)).apns).toEqual({
      kind: 'key',
      privateKey: P8,
      keyId: 'ABC123DEFG',
      teamId: 'DEF123GHIJ',
      topic: 'com.example.shop',
      environment: 'auto',
    })
  })

  test('a later one takes its place, and of the sealing key is no more said', async () => {
    using cli = await withShop()
    const argv = ['app', 'apns', 'Shop', '--key', cli.file('AuthKey.p8', P8), ...KEY_FLAGS]
    await cli.run(argv)
    const { stdout } = await cli.run([...argv, '--environment', 'sandbox', '--data', cli.data])
    expect(stdout).toMatch(
      new RegExp(
        `^"Shop" has an APNs credential: key ABC123DEFG of team DEF123GHIJ, topic com\\.example\\.shop, environment sandbox\\.
Check it with: bellhop doctor app_\\w+ --data ${cli.data}\n$`,
      ),
    )
    expect(stored(cli, keyOf(cli)).apns?.environment).toBe('sandbox')
  })

  test('is sealed with BELLHOP_KEY, or the file that BELLHOP_KEY_FILE names, where there is one', async () => {
    using cli = await withShop()
    const argv = ['app', 'apns', 'Shop', '--key', cli.file('AuthKey.p8', P8), ...KEY_FLAGS]
    for (const env of [{ BELLHOP_KEY: HEX }, { BELLHOP_KEY_FILE: cli.file('hex', `${HEX}\n`) }]) {
      expect((await cli.run(argv, env)).exitCode).toBe(0)
      expect(stored(cli, Buffer.from(HEX, 'hex')).apns?.kind).toBe('key')
    }
    expect(existsSync(join(cli.data, 'key'))).toBe(false)
  })

  test('a BELLHOP_KEY that is none is asked for wrongly, and nothing is stored', async () => {
    using cli = await withShop()
    const argv = ['app', 'apns', 'Shop', '--key', cli.file('AuthKey.p8', P8), ...KEY_FLAGS]
    expect(await cli.run(argv, { BELLHOP_KEY: 'hunter2' })).toEqual(
      refused(
        2,
        'BELLHOP_KEY: the value is not 32 bytes in base64 (44 characters) or hex (64), such as "openssl rand -base64 32" prints',
      ),
    )
    expect(stored(cli, Buffer.from(HEX, 'hex')).apns).toBeNull()
  })

  test('a file that is no key, or not there, is refused in a sentence, and no sealing key is made', async () => {
    using cli = await withShop()
    const wrong = cli.file('AuthKey.p8', 'hello')
    expect(await cli.run(['app', 'apns', 'Shop', '--key', wrong, ...KEY_FLAGS])).toEqual(
      refused(
        1,
        'The APNs key is not a PEM private key: expected the .p8 file from Apple, -----BEGIN PRIVATE KEY-----.',
      ),
    )
    expect(await cli.run(['app', 'apns', 'Shop', '--key', `${cli.data}/nope`, ...KEY_FLAGS])).toEqual(
      refused(1, `The file ${cli.data}/nope cannot be read: there is no such file.`),
    )
    expect(await cli.run(['app', 'apns', 'Shop', '--key', cli.data, ...KEY_FLAGS])).toEqual(
      refused(1, `The file ${cli.data} cannot be read: it is a directory.`),
    )
    expect(existsSync(join(cli.data, 'key'))).toBe(false)
  })
})

describe('app apns --certificate', () => {
  const TEXT = '"Shop" has an APNs credential: certificate until 2027-01-01, topic com.example.app, environment auto.\n'

  test('stores the certificate with the topic it names', async () => {
    using cli = await withShop()
    const { exitCode, stdout, stderr } = await cli.run(['app', 'apns', 'Shop', '--certificate', certificateFile(cli)])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toStartWith(TEXT)
    expect(stored(cli, keyOf(cli)).apns).toMatchObject({ kind: 'certificate', privateKey: APPLE.privateKey })
  })

  test('--topic goes before the topic it names', async () => {
    using cli = await withShop()
    await cli.run(['app', 'apns', 'Shop', '--certificate', certificateFile(cli), '--topic', 'com.example.app.voip'])
    expect(stored(cli, keyOf(cli)).apns?.topic).toBe('com.example.app.voip')
  })

  test('the password comes from the flag, the variable, or the file that a variable names', async () => {
    using cli = await withShop()
    const argv = ['app', 'apns', 'Shop', '--certificate', certificateFile(cli, 'pass word')]
    const ways: readonly (readonly [readonly string[], Readonly<Record<string, string>>])[] = [
      [['--password', 'pass word'], {}],
      [['--password', 'pass word'], { BELLHOP_CERTIFICATE_PASSWORD: 'wrong' }],
      [[], { BELLHOP_CERTIFICATE_PASSWORD: 'pass word' }],
      [[], { BELLHOP_CERTIFICATE_PASSWORD_FILE: cli.file('password', 'pass word\n') }],
    ]
    for (const [flags, env] of ways) {
      const { exitCode, stdout } = await cli.run([...argv, ...flags], env)
      expect(exitCode).toBe(0)
      expect(stdout).toStartWith(TEXT)
    }
  })

  test('a wrong password, or two of them, is refused in a sentence', async () => {
    using cli = await withShop()
    const argv = ['app', 'apns', 'Shop', '--certificate', certificateFile(cli, 'pass word')]
    expect(await cli.run([...argv, '--password', 'wrong'])).toEqual(
      refused(1, 'The password does not open the certificate file.'),
    )
    const both = { BELLHOP_CERTIFICATE_PASSWORD: 'pass word', BELLHOP_CERTIFICATE_PASSWORD_FILE: '/nope' }
    expect(await cli.run(argv, both)).toEqual(
      refused(
        2,
        'The password of the certificate: BELLHOP_CERTIFICATE_PASSWORD and BELLHOP_CERTIFICATE_PASSWORD_FILE are both set; keep one.',
      ),
    )
  })

  test('the time is the clock’s: an expired certificate is refused', async () => {
    using cli = await withShop()
    cli.clock.set(Date.UTC(2027, 5, 1))
    expect(await cli.run(['app', 'apns', 'Shop', '--certificate', certificateFile(cli)])).toEqual(
      refused(1, 'The certificate expired on 2027-01-01: renew it at Apple.'),
    )
  })
})

describe('app fcm', () => {
  test('stores the service account', async () => {
    using cli = await withShop()
    const file = cli.file('account.json', SERVICE_ACCOUNT)
    const { exitCode, stdout } = await cli.run(['app', 'fcm', 'Shop', '--service-account', file])
    expect(exitCode).toBe(0)
    expect(stdout).toStartWith(
      '"Shop" has an FCM credential: project corner-shop, service account push@corner-shop.iam.gserviceaccount.com.\n',
    )
    expect(stored(cli, keyOf(cli)).fcm).toEqual({
      kind: 'service-account',
      projectId: 'corner-shop',
      clientEmail: 'push@corner-shop.iam.gserviceaccount.com',
      privateKey: APPLE.privateKey,
      privateKeyId: 'abc',
    })
  })

  test('a file that is none is refused in a sentence', async () => {
    using cli = await withShop()
    expect(await cli.run(['app', 'fcm', 'Shop', '--service-account', cli.file('a.json', '[')])).toEqual(
      refused(1, 'The service account is not a JSON object.'),
    )
  })

  test('an application on the simulator stays there, and is told how to leave it', async () => {
    using cli = await withShop()
    await cli.run(['app', 'simulate', 'Shop'])
    const { stdout } = await cli.run(['app', 'fcm', 'Shop', '--service-account', cli.file('a.json', SERVICE_ACCOUNT)])
    expect(stdout).toMatch(/\nIt still uses the simulator: bellhop app simulate app_\w+ --off\n/)
  })
})

describe('app show', () => {
  test('shows what is stored of each gateway, never a private key', async () => {
    using cli = await withShop()
    await cli.run(['app', 'apns', 'Shop', '--key', cli.file('AuthKey.p8', P8), ...KEY_FLAGS])
    await cli.run(['app', 'fcm', 'Shop', '--service-account', cli.file('a.json', SERVICE_ACCOUNT)])
    const { stdout } = await cli.run(['app', 'show', 'Shop'])
    expect(stdout).toContain('\n  sends to  APNs, FCM\n')
    expect(stdout).toContain(
      '\n  APNs      key ABC123DEFG of team DEF123GHIJ, topic com.example.shop, environment auto\n',
    )
    expect(stdout).toContain(
      '\n  FCM       project corner-shop, service account push@corner-shop.iam.gserviceaccount.com\n',
    )
    const { stdout: json } = await cli.run(['app', 'show', 'Shop', '--json'])
    expect(JSON.parse(json)).toHaveProperty('credentials', [
      {
        provider: 'apns',
        createdAt: '2026-11-20T12:00:00.000Z',
        kind: 'key',
        keyId: 'ABC123DEFG',
        teamId: 'DEF123GHIJ',
        topic: 'com.example.shop',
        environment: 'auto',
      },
      {
        provider: 'fcm',
        createdAt: '2026-11-20T12:00:00.000Z',
        kind: 'service-account',
        projectId: 'corner-shop',
        clientEmail: 'push@corner-shop.iam.gserviceaccount.com',
        privateKeyId: 'abc',
      },
    ])
    expect(stdout + json).not.toContain('PRIVATE KEY')
  })

  test('shows until when a certificate is valid', async () => {
    using cli = await withShop()
    await cli.run(['app', 'apns', 'Shop', '--certificate', certificateFile(cli)])
    const { stdout } = await cli.run(['app', 'show', 'Shop', '--json'])
    expect(JSON.parse(stdout)).toHaveProperty('credentials.0.expiresAt', '2027-01-01T00:00:00.000Z')
  })
})
