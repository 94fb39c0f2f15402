import { describe, expect, test } from 'bun:test'
import { createDeviceStore } from '../../../src/device/device-store.ts'
import type { Registration } from '../../../src/device/registration/registration.ts'
import { ACCOUNT } from '../../gateway/fcm/account.ts'
import { createBrowser } from '../../gateway/webpush/browser.ts'
import { startGateway } from '../../support/gateway.ts'
import { http11Answer, startHttp11Gateway } from '../../support/http11-gateway.ts'
import { APNS_KEY, startHarness } from '../harness.ts'
import type { DoctorHarness } from '../harness.ts'

const TOKEN = '3f8a09c1'.repeat(8)

function send(use: DoctorHarness, token: string, more: readonly string[] = ['--yes'], env = {}) {
  return use.line.run(['doctor', 'Corner Shop', '--send', token, ...more], { ...use.env, ...env })
}

async function shop(use: DoctorHarness): Promise<string> {
  const id = await use.addApplication('Corner Shop')
  use.store(id, APNS_KEY)
  return id
}

function register(use: DoctorHarness, device: Registration): void {
  using database = use.line.database()
  const devices = createDeviceStore({ database, clock: use.line.clock })
  database.transact(() => devices.register(1, device))
}

describe('doctor --send', () => {
  test('asks first, and then sends nothing', async () => {
    await using use = await startHarness()
    await shop(use)
    const { exitCode, stderr } = await send(use, TOKEN, [])
    expect(exitCode).toBe(1)
    expect(stderr).toBe(
      'bellhop: This sends a silent push and one that shows "Test from bellhop doctor" to the iOS device 3f8a09c1… of "Corner Shop". Add --yes to do so.\n',
    )
    expect(use.gateways.production.connections).toBe(0)
  })

  test('sends a silent push and a shown one to an iPhone, and tells what Apple says, and how the connection ended', async () => {
    await using use = await startHarness()
    await shop(use)
    use.gateways.production.handle(({ headers }) => ({ status: 200, headers: { 'apns-id': headers['apns-id'] ?? '' } }))
    const { exitCode, stdout, stderr } = await send(use, TOKEN.toUpperCase())
    expect([exitCode, stderr]).toEqual([0, ''])
    const { host } = new URL(use.gateways.production.origin)
    const answered = `  ${host} over HTTP/2: 200 in N ms (apns-id: ID)`
    expect(
      stdout
        .replaceAll(/\d+ ms/g, 'N ms')
        .replaceAll(/[0-9a-f-]{36}/g, 'ID')
        .split('\n'),
    ).toEqual([
      'To the iOS device 3f8a09c1… of "Corner Shop"',
      'Silent push (wakes the app, shows nothing)',
      answered,
      '  Bellhop: accepted (production)',
      'Shown push ("Test from bellhop doctor")',
      answered,
      '  Bellhop: accepted (production)',
      'Connections',
      `  ${host} over HTTP/2: closed by Bellhop after all answers`,
      '',
    ])
    const [silent, shown] = use.gateways.production.calls
    expect([silent?.headers['apns-push-type'], shown?.headers['apns-push-type']]).toEqual(['background', 'alert'])
    expect(silent?.path).toBe(`/3/device/${TOKEN}`)
    expect(JSON.parse(silent?.body ?? '')).toMatchObject({ aps: { 'content-available': 1 } })
    expect(JSON.parse(shown?.body ?? '')).toMatchObject({ aps: { alert: 'Test from bellhop doctor' } })
    expect(shown?.headers.authorization).toBe(silent?.headers.authorization)
  })

  test('tells both environments, and fails where the token is refused', async () => {
    await using use = await startHarness()
    await shop(use)
    const { exitCode, stdout } = await send(use, TOKEN)
    expect(exitCode).toBe(1)
    expect(stdout.match(/400 in \d+ ms \(\{"reason":"BadDeviceToken"\}\)/g)).toHaveLength(4)
    expect(stdout).toContain('Bellhop: refused, for the token (BadDeviceToken)')
  })

  test('tells the word with which the gateway closes the connection', async () => {
    await using use = await startHarness()
    await using gateway = await startGateway(({ connection }) => connection.goaway(0, 0, '{"reason":"BadCertificate"}'))
    await shop(use)
    const env = { BELLHOP_APNS_URL: gateway.origin, BELLHOP_GATEWAY_CA: use.file('gateway.pem', gateway.ca) }
    const { exitCode, stdout } = await send(use, TOKEN, ['--yes', '--json'], env)
    expect(exitCode).toBe(1)
    const { host } = new URL(gateway.origin)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      steps: [
        {
          push: 'silent',
          answers: [{ host, status: null, failure: 'HTTP2GoAway: BadCertificate' }],
          outcome: { kind: 'misconfigured', reason: 'BadCertificate' },
        },
        { push: 'shown' },
      ],
      ends: [{ host, protocol: 'HTTP/2', reason: 'HTTP2GoAway: BadCertificate' }],
    })
  })

  test('sends to Android, and prints no access token', async () => {
    await using use = await startHarness()
    const id = await use.addApplication('Corner Shop')
    use.store(id, ACCOUNT)
    use.answer('fcm', 200, { name: 'projects/example-project/messages/1' })
    const { exitCode, stdout } = await send(use, 'phone:APA91b')
    expect(exitCode).toBe(0)
    expect(stdout).toContain('To the Android device phone:AP… of "Corner Shop"')
    expect(stdout).toContain('projects/example-project/messages/1')
    expect(stdout).not.toContain('access-token')
    expect(use.gateways.fcm.calls.map(({ body }) => JSON.parse(body).message.token)).toEqual([
      'phone:APA91b',
      'phone:APA91b',
    ])
  })

  test('sends to a browser whose push service speaks HTTP/1.1 only', async () => {
    await using use = await startHarness()
    await using service = await startHttp11Gateway((call) => call.write(http11Answer(201)))
    await use.addApplication('Corner Shop')
    const env = {
      BELLHOP_PUSH_SERVICES: service.origin,
      BELLHOP_GATEWAY_CA: use.file('service.pem', service.ca),
    }
    expect(await use.line.run(['app', 'webpush', 'Corner Shop', '--subject', 'mailto:push@example.com'])).toMatchObject(
      {
        exitCode: 0,
      },
    )
    const browser = createBrowser(`${service.origin}/push/abc`)
    const { keys } = browser.recipient
    register(use, { token: browser.recipient.token, platform: 2, ...(keys && { keys }) })
    const { exitCode, stdout } = await send(use, browser.recipient.token, ['--yes'], env)
    expect(exitCode).toBe(0)
    const { host } = new URL(service.origin)
    expect(stdout).toMatch(new RegExp(`${host} over HTTP/1.1: 201 in \\d+ ms\n`))
    expect(service.calls).toHaveLength(2)
    expect(browser.open(service.calls[1]?.bytes ?? Buffer.alloc(0))).toMatchObject({
      notification: { title: 'Test from bellhop doctor' },
    })
  })

  test('needs the application, a credential for the platform, and the keys of a browser', async () => {
    await using use = await startHarness()
    await shop(use)
    expect((await use.line.run(['doctor', '--send', TOKEN], use.env)).exitCode).toBe(2)
    expect((await send(use, 'phone:APA91b')).stderr).toBe('bellhop: "Corner Shop" has no FCM credential.\n')
    expect((await send(use, 'https://web.push.apple.com/abc')).stderr).toBe(
      'bellhop: This browser is not registered, and its messages are encrypted with the keys it registers.\n',
    )
  })

  test('sends no silent push to Safari, which ends a subscription after three', async () => {
    await using use = await startHarness()
    await shop(use)
    const browser = createBrowser('https://web.push.apple.com/abc')
    const { keys } = browser.recipient
    register(use, { token: browser.recipient.token, platform: 2, ...(keys && { keys }) })
    expect((await send(use, browser.recipient.token, [])).stderr).toBe(
      'bellhop: This sends a push that shows "Test from bellhop doctor" to the browser web.push.apple.com/….com/abc of "Corner Shop". Safari counts pushes that show nothing and ends a subscription after three: none is sent. Add --yes to do so.\n',
    )
  })
})
