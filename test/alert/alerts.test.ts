import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { MINUTE_MS } from '../../src/clock.ts'
import type { Disk } from '../../src/monitoring/storage.ts'
import { createAdminCaller } from '../admin/admin-caller.ts'
import type { AdminCall } from '../admin/admin-caller.ts'
import { commandLine } from '../cli/command-line.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { startMailServer } from '../support/mail-server.ts'
import type { MailServer } from '../support/mail-server.ts'
import { passing } from '../support/passing.ts'
import { startReceiver, status } from '../support/receiver.ts'
import type { WebhookReceiver } from '../support/receiver.ts'
import { startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { until } from '../support/until.ts'

const MEBIBYTE = 1024 * 1024
const MAIL_PASSWORD = 'correct horse'

const clock = createFakeClock()
const line = commandLine()
let disk: Disk
let receiver: WebhookReceiver
let mailServer: MailServer
let service: Service
let call: AdminCall
beforeAll(async () => {
  disk = { freeBytes: 900 * MEBIBYTE, sizeBytes: 1000 * MEBIBYTE }
  receiver = await startReceiver({ plain: true })
  mailServer = await startMailServer({ secure: true })
  const gatewayCa = line.file('ca.pem', mailServer.certificate)
  const config = { webhookPrivate: true, publicUrl: 'https://push.example.com', gatewayCa }
  service = await startService({ clock, disk: () => disk, config })
  call = createAdminCaller(service)
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
  await mailServer[Symbol.asyncDispose]()
  line[Symbol.dispose]()
})

const topic = () => `http://127.0.0.1:${receiver.port}/secret-topic`
const alert = (...argv: readonly string[]) => line.run(['alert', ...argv], { BELLHOP_DATA: service.data })
const added = async (...argv: readonly string[]) => {
  const { exitCode, stdout, stderr } = await alert('add', ...argv)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

/** In steps that are far shorter than the deadline of a mail. */
const passUntil = (isSo: () => boolean) => passing(service, clock, until(isSo), 1000)

/** Minutes in which nothing is sent. */
function passMinutes(minutes: number): Promise<void> {
  const end = clock.now() + minutes * MINUTE_MS
  return passing(
    service,
    clock,
    until(() => clock.now() >= end),
    10_000,
  )
}

describe('bellhop alert', () => {
  test('add makes an alert of which the URL is shown by no list', async () => {
    expect(await added('ntfy', topic(), '--name', 'shown', '--when', 'disk,quota')).toBe(
      'Alert shown is there, for quota, disk. Try it: bellhop alert test shown\n',
    )
    const shown = [await alert('list'), await alert('list', '--json'), await call('GET', '/api/alerts')]
    expect(JSON.stringify(shown)).toContain(`http://127.0.0.1:${receiver.port}`)
    expect(JSON.stringify(shown)).not.toContain('secret-topic')
    expect(JSON.parse((await alert('list', '--json')).stdout.split('\n')[0] ?? '')).toMatchObject({
      id: expect.any(Number),
      name: 'shown',
      channel: 'ntfy',
      when: ['quota', 'disk'],
      lastMessageAt: null,
      problem: null,
    })
    expect((await alert('delete', 'shown', '--yes')).stdout).toBe('Deleted the alert shown.\n')
  })

  test('add prints the secret of a webhook once, or takes the one of a file', async () => {
    const url = `http://127.0.0.1:${receiver.port}/`
    expect(JSON.parse(await added('webhook', url, '--name', 'signed', '--json'))).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
      when: ['not-ready', 'backup-late', 'certificate', 'quota', 'credential', 'disk'],
    })
    const own = line.file('own.secret', `whsec_${Buffer.alloc(24, 1).toString('base64')}\n`)
    expect(await added('webhook', url, '--name', 'own', '--secret-file', own)).not.toContain('whsec_')
    for (const name of ['signed', 'own']) await alert('delete', name, '--yes')
  })

  test.each([
    [['fax', 'https://a.test'], '"fax" is not one of webhook, ntfy, email'],
    [['ntfy', 'ntfy.sh/topic'], 'URL is not an https address without user and fragment'],
    [['ntfy', 'http://8.8.8.8/topic'], 'URL is not https: http is for private addresses only'],
    [['email', 'smtps://ann:pass@mail.test?from=a@b.test&to=c@d.test'], 'URL is not an address such as smtps://'],
    [['ntfy', 'https://a.test', '--when', 'fire'], '--when: "fire" is not one of not-ready, backup-late'],
    [['ntfy', 'https://a.test', '--name', 'A b'], '--name: "A b" is not a name of'],
  ])('add %j is refused, and repeats no URL', async (argv, sentence) => {
    const { exitCode, stderr } = await alert('add', ...argv)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(sentence)])
    expect(stderr).not.toMatch(/pass@|topic/)
  })

  test.each([
    ['webhook', 'https://a.test', 'short', 'has no secret such as whsec_…'],
    ['ntfy', 'https://a.test', 'two\nlines', 'has more than one line of ASCII.'],
    ['ntfy', 'https://a.test', ' \n', 'is empty.'],
    ['email', 'smtps://mail.test?from=a@b.test&to=c@d.test', 'password', 'The URL has no user for the password'],
    ['email', 'smtps://ann@mail.test?from=a@b.test&to=c@d.test', null, '--secret-file FILE has the password.'],
  ])('add %s %s with the secret %j is refused', async (channel, url, secret, sentence) => {
    const given = secret === null ? [] : ['--secret-file', line.file('a.secret', secret)]
    const { exitCode, stderr } = await alert('add', channel, url, ...given)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(sentence)])
  })

  test('add refuses a name that there is, and what is not there is named with one that is near', async () => {
    await added('ntfy', topic(), '--name', 'phone')
    expect(await alert('add', 'ntfy', topic(), '--name', 'phone')).toMatchObject({
      exitCode: 1,
      stderr: 'bellhop: There is an alert "phone": give this one another --name, or delete that one.\n',
    })
    expect(await alert('test', 'phnoe')).toMatchObject({
      exitCode: 1,
      stderr: 'bellhop: There is no alert "phnoe": bellhop alert list shows them. Did you mean phone?\n',
    })
    expect(await alert('delete', 'phone')).toMatchObject({ exitCode: 2 })
    await alert('delete', 'phone', '--yes')
  })

  test('test has the server send a message, and says what came of it', async () => {
    await added('ntfy', topic(), '--name', 'tried')
    const before = receiver.received.length
    expect(await alert('test', 'tried')).toMatchObject({
      exitCode: 0,
      stdout: `The test message was taken by http://127.0.0.1:${receiver.port}.\n`,
    })
    expect(receiver.received[before]).toMatchObject({
      url: '/secret-topic',
      headers: { title: 'Bellhop push.example.com: test' },
      body: 'This is a test of the alert tried. Nothing is wrong.\n',
    })
    receiver.answer = status(403)
    expect(await alert('test', 'tried')).toMatchObject({
      exitCode: 1,
      stderr: `bellhop: The test message to http://127.0.0.1:${receiver.port} was not taken: HTTP 403.\n`,
    })
    expect((await alert('list')).stdout).toMatch(/not sent: HTTP 403/)
    receiver.answer = status(204)
    expect((await call('POST', '/api/alerts/tried/test')).body.alerts).toMatchObject([{ name: 'tried', problem: null }])
    expect(await call('POST', '/api/alerts/nobody/test')).toMatchObject({
      status: 404,
      body: { code: 'ResourceNotFound' },
    })
    await alert('delete', 'tried', '--yes')
  })

  test('test needs a server', async () => {
    using alone = commandLine()
    await alone.run(['app', 'create', 'Shop'])
    await alone.run(['alert', 'add', 'ntfy', 'https://ntfy.test/topic'])
    expect(await alone.run(['alert', 'test', 'ntfy'])).toMatchObject({
      exitCode: 1,
      stderr: `bellhop: No server runs on ${alone.data}: it is the server that sends alerts.\n`,
    })
  })
})

test('a server tells by mail, and by ntfy, that its disk is nearly full, and that it is over, across a restart', async () => {
  const password = line.file('mail.password', `${MAIL_PASSWORD}\n`)
  const mail = `smtps://bellhop@127.0.0.1:${mailServer.port}?from=bellhop@shop.test&to=ann@shop.test`
  await added('email', mail, '--secret-file', password)
  await added('ntfy', topic(), '--when', 'not-ready')
  const count = receiver.received.length
  disk = { ...disk, freeBytes: 10 * MEBIBYTE }
  await passMinutes(1)
  await passUntil(() => receiver.received.length > count && mailServer.mails.length > 0)
  const begun = receiver.received.at(-1)
  expect(begun?.headers['title']).toBe('Bellhop push.example.com: not ready')
  expect(begun?.body).toMatch(/^The data disk is nearly full: 10 MiB of 1000 MiB are free\.\nSince 2026-/)
  expect(mailServer.mails[0]?.text).toContain('Subject: Bellhop push.example.com: disk nearly full')
  expect(mailServer.mails[0]?.text).not.toContain(MAIL_PASSWORD)

  disk = { ...disk, freeBytes: 900 * MEBIBYTE }
  service = await service.restart()
  await line.run(['admin', 'revoke', 'test'], { BELLHOP_DATA: service.data })
  call = createAdminCaller(service)
  await passMinutes(5)
  await passUntil(() => receiver.received.length > count + 1 && mailServer.mails.length > 1)
  const ended = receiver.received.at(-1)
  expect(ended?.headers['title']).toBe('Bellhop push.example.com: not ready (ended)')
  expect(receiver.received).toHaveLength(count + 2)
  for (const name of ['email', 'ntfy']) await alert('delete', name, '--yes')
})
