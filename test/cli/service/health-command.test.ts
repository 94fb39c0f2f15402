import { afterAll, describe, expect, test } from 'bun:test'
import { createFakeClock } from '../../support/fake-clock.ts'
import { fileService } from '../../support/file-service.ts'
import { startReceiver } from '../../support/receiver.ts'
import { commandLine, printed, refused } from '../command-line.ts'

const line = commandLine()
afterAll(() => line[Symbol.dispose]())
// A late write is fine by a clock that stands still.
const service = await fileService({ clock: createFakeClock() })
const admin = new URL(service.adminUrl).host

describe('a server that is well', () => {
  test('is healthy and ready, exit code 0', async () => {
    expect(await line.run(['health', '--admin-listen', admin])).toEqual(printed(`healthy http://${admin}/healthz`))
    const ready = await line.run(['health', '--ready', '--admin-listen', admin])
    expect([ready.exitCode, ready.stderr]).toEqual([0, ''])
    expect(ready.stdout).toStartWith(`ready http://${admin}/readyz\n`)
  })

  test('is so in JSON', async () => {
    const health = await line.run(['health', '--json'], { BELLHOP_ADMIN_LISTEN: admin })
    expect(JSON.parse(health.stdout)).toEqual({ healthy: true, url: `http://${admin}/healthz`, reasons: [] })
    const ready = await line.run(['health', '--ready', '--json'], { BELLHOP_ADMIN_LISTEN: admin })
    expect(JSON.parse(ready.stdout)).toMatchObject({ ready: true, url: `http://${admin}/readyz`, reasons: [] })
  })

  test('is found where it listens on all addresses, whatever proxy the environment has', async () => {
    const { port } = new URL(service.adminUrl)
    const before = process.env['HTTP_PROXY']
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:1'
    try {
      const health = await line.run(['health'], { BELLHOP_ADMIN_LISTEN: `0.0.0.0:${port}` })
      expect(health).toMatchObject({ exitCode: 0, stdout: `healthy http://127.0.0.1:${port}/healthz\n` })
    } finally {
      if (before === undefined) delete process.env['HTTP_PROXY']
      else process.env['HTTP_PROXY'] = before
    }
  })
})

describe('a server that is not well is exit code 1 and a sentence', () => {
  test('nobody there', async () => {
    const problem =
      'Nothing answers at http://127.0.0.1:1/healthz (ECONNREFUSED): is bellhop serve running with this --admin-listen?'
    expect(await line.run(['health', '--admin-listen', '127.0.0.1:1'])).toEqual(refused(1, problem))
    const json = await line.run(['health', '--json', '--admin-listen', '127.0.0.1:1'])
    expect(json).toMatchObject({ exitCode: 1, stderr: '' })
    expect(JSON.parse(json.stdout)).toEqual({
      healthy: false,
      url: 'http://127.0.0.1:1/healthz',
      reasons: [problem],
    })
  })

  test('not ready: each reason has a line', async () => {
    await using other = await startReceiver({ plain: true })
    const reasons = ['The database cannot be written: it is full.', 'shop\u001B[2J: pushes wait.']
    other.answer = (response) =>
      void response.writeHead(503).end(JSON.stringify({ status: 'not ready', reasons, warnings: ['No backup.'] }))
    const admin = `127.0.0.1:${other.port}`
    expect(await line.run(['health', '--ready', '--admin-listen', admin])).toEqual({
      exitCode: 1,
      stdout: `not ready\n${reasons[0]}\nshop\\x1b[2J: pushes wait.\nWarning: No backup.\n`,
      stderr: '',
    })
    const json = await line.run(['health', '--ready', '--json', '--admin-listen', admin])
    expect(JSON.parse(json.stdout)).toMatchObject({ ready: false, reasons, warnings: ['No backup.'] })
  })

  test('one that wants a token', async () => {
    await using other = await startReceiver({ plain: true })
    other.answer = (response) => void response.writeHead(401).end('{"code":"InvalidCredentials","message":"…"}')
    const health = await line.run(['health', '--ready', '--admin-listen', `127.0.0.1:${other.port}`])
    expect(health.exitCode).toBe(1)
    expect(health.stdout).toBe(
      `not ready\nhttp://127.0.0.1:${other.port}/readyz needs a token: without one it answers only calls to 127.0.0.1, ::1 or localhost. Let the admin side listen there, or on 0.0.0.0.\n`,
    )
  })

  test('somebody else there', async () => {
    await using other = await startReceiver({ plain: true })
    for (const body of ['<html>', '{"status":"fine"}', 'null']) {
      other.answer = (response) => void response.writeHead(200).end(body)
      const health = await line.run(['health', '--admin-listen', `127.0.0.1:${other.port}`])
      expect(health.exitCode).toBe(1)
      expect(health.stderr).toBe(
        `bellhop: What answers at http://127.0.0.1:${other.port}/healthz (200) is not a Bellhop: is this its --admin-listen?\n`,
      )
    }
  })

  test('no answer for 5 seconds', async () => {
    await using other = await startReceiver({ plain: true })
    other.answer = () => line.clock.advance(5_000)
    const health = await line.run(['health', '--admin-listen', `127.0.0.1:${other.port}`])
    expect(health).toEqual(refused(1, `http://127.0.0.1:${other.port}/healthz has not answered within 5 seconds.`))
  })
})

test('port 0 and what is no address are asked wrongly', async () => {
  for (const address of ['127.0.0.1:0', 'nowhere']) {
    const health = await line.run(['health', '--admin-listen', address])
    expect([health.exitCode, health.stdout]).toEqual([2, ''])
    expect(health.stderr).toStartWith('bellhop: --admin-listen (BELLHOP_ADMIN_LISTEN): ')
  }
})
