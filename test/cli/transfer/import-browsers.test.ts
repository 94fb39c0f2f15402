import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeVapid, vapidJson } from '../../../src/application/vapid.ts'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import { commandLine, jsonLines } from '../command-line.ts'
import type { CommandLine } from '../command-line.ts'

/** Of RFC 8291, appendix A. */
const P256DH = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'
const AUTH = 'BTBZMqHH6r4Tts7J_aSIgg'
const CHROME = 'https://fcm.googleapis.com/fcm/send/1'

/** OneSignal pads its base64. */
const base64 = (text: string) => Buffer.from(text, 'base64url').toString('base64')

const ONESIGNAL = [
  'id,identifier,device_type,invalid_identifier,external_user_id,web_auth,web_p256',
  `1,${CHROME},5,f,ann,${base64(AUTH)},${base64(P256DH)}`,
  `2,https://updates.push.services.mozilla.com/wpush/v2/2,8,f,,,`,
  '3,eK3:APA91b,1,f,bob,,',
].join('\n')

const SUBJECT = ['--subject', 'mailto:push@shop.example']
const VAPID = makeVapid('mailto:push@shop.example')

async function withShop(key: typeof VAPID | null): Promise<CommandLine & { readonly keyFile: string }> {
  const line = commandLine()
  const keyFile = line.file('vapid.json', vapidJson(VAPID))
  await line.run(['app', 'create', 'Shop'])
  if (key !== null) {
    await line.run(['app', 'webpush', 'Shop', ...SUBJECT, '--key', line.file('own.json', vapidJson(key))])
  }
  return { ...line, keyFile, [Symbol.dispose]: () => line[Symbol.dispose]() }
}

async function imported(line: CommandLine, file: string, ...flags: string[]) {
  const rejects = join(line.data, 'rejects.jsonl')
  const printed = await line.run(['import', 'Shop', file, '--rejects', rejects, ...flags])
  const why = jsonLines(existsSync(rejects) ? readFileSync(rejects, 'utf8') : '').map(({ reason }) => reason)
  return { ...printed, why, browsers: browsersIn(line) }
}

function browsersIn(line: CommandLine): string[] {
  using database = line.database()
  const devices = createDeviceStore({ database, clock: line.clock }).list(1, { limit: 100 })
  return devices.filter(({ platform }) => platform === 2).map(({ token }) => token)
}

describe("browsers of another service's list", () => {
  test('are read from the table of a web push library, with their users', async () => {
    using line = await withShop(VAPID)
    const table = [
      { user_id: 7, subscription: { endpoint: CHROME, expirationTime: null, keys: { p256dh: P256DH, auth: AUTH } } },
      { user_id: 8, subscription: { endpoint: `${CHROME}2`, keys: { p256dh: P256DH } } },
      {
        user_id: 9,
        subscription: {
          endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/9',
          keys: { p256dh: P256DH, auth: AUTH },
        },
      },
    ]
    const file = line.file('subscriptions.json', JSON.stringify(table, null, 2))
    const { why, browsers, stderr } = await imported(line, file, '--vapid-key', line.keyFile)
    expect(browsers).toEqual([CHROME, 'https://updates.push.services.mozilla.com/wpush/v2/9'])
    expect(why).toEqual(['keys.auth must be a string, not undefined.'])
    expect(stderr).toContain('reads as browser subscriptions of a web push library.')
    using database = line.database()
    expect(database.reading<{ user: string }, []>('SELECT user FROM device').all()).toEqual([
      { user: '7' },
      { user: '9' },
    ])
  })

  test('come in with the VAPID key that they are subscribed with, which the application has', async () => {
    using line = await withShop(VAPID)
    const { why, browsers, stdout } = await imported(line, line.file('p.csv', ONESIGNAL), '--vapid-key', line.keyFile)
    expect(browsers).toEqual([CHROME])
    expect(why).toEqual(['web_p256 is required with platform 2.'])
    expect(stdout).toStartWith('3 rows read: 2 imported, 0 updated, 0 unchanged, 1 rejected.')
    using database = line.database()
    const kept = database.reading<{ p256dh: Uint8Array; auth: Uint8Array }, []>('SELECT p256dh, auth FROM device_key')
    const { p256dh, auth } = kept.get() ?? {}
    expect([p256dh, auth].map((key) => key?.toBase64({ alphabet: 'base64url', omitPadding: true }))).toEqual([
      P256DH,
      AUTH,
    ])
  })

  test('come in from a CSV as well, by columns called as the keys are', async () => {
    using line = await withShop(VAPID)
    const rows = `endpoint,platform,p256dh,auth\n${CHROME},web,${P256DH},${AUTH}\nx,android,,`
    const flags = ['--map', 'token=endpoint', '--vapid-key', line.keyFile]
    const { why, browsers } = await imported(line, line.file('list.csv', rows), ...flags)
    expect({ why, browsers }).toEqual({ why: [], browsers: [CHROME] })
  })

  test('stay out where nobody says so, row by row', async () => {
    using line = await withShop(VAPID)
    const { why, browsers, exitCode } = await imported(line, line.file('players.csv', ONESIGNAL))
    const reason =
      'device_type is that of a browser, which accepts pushes of only the VAPID key it subscribed with: store that key with app webpush --key FILE, and pass --vapid-key FILE.'
    expect({ why, browsers, exitCode }).toEqual({ why: [reason, reason], browsers: [], exitCode: 0 })
  })

  test.each([
    ['none', null, 'The application has no VAPID key: bellhop app webpush --key FILE gives it that one.'],
    ['another', makeVapid('mailto:a@b.example'), `--vapid-key is ${VAPID.publicKey}, and that of the application `],
  ])('are not imported, nor is anything, for an application that has %s', async (_, key, problem) => {
    using line = await withShop(key)
    const file = line.file('players.csv', ONESIGNAL)
    const { stderr, exitCode } = await imported(line, file, '--vapid-key', line.keyFile)
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(problem) as string })
    const { stdout } = await line.run(['devices', 'Shop', '--json'])
    expect(stdout).not.toContain('APA91b')
  })

  test('need a key that is one', async () => {
    using line = await withShop(VAPID)
    const flags = ['--vapid-key', line.file('no.pem', 'no key')]
    const { stderr, exitCode } = await imported(line, line.file('players.csv', ONESIGNAL), ...flags)
    expect(exitCode).toBe(1)
    expect(stderr).toContain('--vapid-key: The key is neither a PEM private key nor 32 bytes in base64url')
  })
})

describe('browsers that move to another Bellhop', () => {
  test('come in where the application has their key, which app webpush-key writes', async () => {
    using from = await withShop(VAPID)
    await imported(from, from.file('players.csv', ONESIGNAL), '--vapid-key', from.keyFile)
    const [list, key] = [join(from.data, 'shop.jsonl.gz'), join(from.data, 'moved.json')]
    await from.run(['export', 'Shop', list])
    const { stdout } = await from.run(['app', 'webpush-key', 'Shop', key])
    expect(stdout).toBe(
      `${key} has the VAPID key ${VAPID.publicKey}, not sealed: whoever reads it can send to the browsers.\n`,
    )
    expect(statSync(key).mode & 0o777).toBe(0o600)

    using to = await withShop(null)
    const { why, browsers } = await imported(to, list)
    expect(browsers).toEqual([])
    expect(why).toEqual([
      `platform is that of a browser, whose subscription is bound to the VAPID key ${VAPID.publicKey}, and the application has none: app webpush-key writes it there, app webpush --key takes it here.`,
    ])
    await to.run(['app', 'webpush', 'Shop', ...SUBJECT, '--key', key])
    expect(await imported(to, list)).toMatchObject({ exitCode: 0, browsers: [CHROME] })
  })

  test('have no key to move with where the application has none', async () => {
    using line = await withShop(null)
    const { exitCode, stderr } = await line.run(['app', 'webpush-key', 'Shop', join(line.data, 'made.json')])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(
      /^bellhop: The application has no key for web push: bellhop app webpush app_\w+ makes one.\n$/,
    )
    expect(existsSync(join(line.data, 'made.json'))).toBe(false)
    expect(existsSync(join(line.data, 'key'))).toBe(false)
  })
})
