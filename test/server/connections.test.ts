import { beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connectionLimits } from '../../src/http/connection-share.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { command, limited, serve, shopHeaders } from '../support/service-process.ts'
import { until } from '../support/until.ts'

/* More connections than the process may have files. Only Linux lists its sockets. */
const FILES = 128
const CROWD = 400
const CALLS = 20
const PATIENCE_MS = 5000

const data = join(directoryOfTests('bellhop-crowd'), 'data')
let headers: Readonly<Record<string, string>>
beforeAll(async () => {
  headers = { ...(await shopHeaders(data)), connection: 'close' }
  await command(['app', 'simulate', 'shop', '--data', data])
})

/** Silent connections from this many addresses. A closed one reconnects. */
function crowdAt(url: string, addresses: number): Disposable {
  const port = Number(new URL(url).port)
  const open = new Set<ReturnType<typeof connect>>()
  let over = false
  function enter(n: number): void {
    if (over) return
    const socket = connect({ host: '127.0.0.1', port, localAddress: `127.0.2.${1 + (n % addresses)}` })
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      setTimeout(() => enter(n), 50)
    })
  }
  for (let n = 0; n < CROWD; n++) enter(n)
  return {
    [Symbol.dispose]() {
      over = true
      for (const socket of open) socket.destroy()
    },
  }
}

const signal = () => AbortSignal.timeout(PATIENCE_MS)

describe.if(process.platform === 'linux')('idle connections beyond the files that the process may have', () => {
  test.each([1, 40])('of %d addresses keep nobody out: calls, pushes and the admin side go on', async (addresses) => {
    await using service = await serve(data, {}, [], limited('-n', FILES))
    using _ = crowdAt(service.url, addresses)
    // A silent connection is let in after a second (TCP_DEFER_ACCEPT).
    await until(() => readdirSync(`/proc/${service.pid}/fd`).length > FILES / 2)
    const statuses: number[] = []
    for (let n = 0; n < CALLS; n++) {
      const token = `${addresses.toString(16).padStart(2, '0')}${n.toString(16).padStart(2, '0')}`.repeat(16)
      const body = JSON.stringify({ token, platform: '0' })
      statuses.push(
        (await fetch(`${service.url}/deviceToken`, { method: 'PUT', headers, body, signal: signal() })).status,
      )
    }
    expect(new Set(statuses)).toEqual(new Set([201]))

    const push = JSON.stringify({ msg: 'Hello', sound: '', badge: '', platform: 0 })
    const pushed = await fetch(`${service.url}/push/all`, { method: 'POST', headers, body: push, signal: signal() })
    const { id } = (await pushed.json()) as { id: string }
    const admin = async (path: string) =>
      (await fetch(service.adminUrl + path, { headers: { connection: 'close' }, signal: signal() })).json()
    const isSent = async () => {
      const { deliveries } = (await admin(`/pushes/${id}`)) as { deliveries?: { s: number }[] }
      return (deliveries ?? []).some(({ s }) => s >= CALLS)
    }
    await until(isSent)

    const { atAll: limit } = connectionLimits(FILES).api
    const ready = await admin('/readyz')
    expect(ready).toMatchObject({ status: 'ready', checks: { connections: 'warning' } })
    expect((ready as { warnings: string[] }).warnings).toEqual([
      expect.stringMatching(
        new RegExp(
          `^There were more than ${limit} connections at once: \\d+ idle ones were closed since .*, most of the last ones from 127\\.0\\.`,
        ),
      ),
    ])
    expect(service.log()).toContain('too many connections: closing idle ones')
    expect(await service.kill('SIGTERM')).toBe(0)
  })
})

test('what callers may have leaves room for gateways and files, whatever the limit of the process is', () => {
  for (const files of [64, 128, 1024, 4096, 65_536, 1_073_741_816]) {
    const { api, admin } = connectionLimits(files)
    expect(api.atAll + admin.atAll).toBeLessThan(files - 40)
    expect(api.atRest).toBeLessThan(api.atAll)
  }
  expect(connectionLimits(65_536)).toEqual({
    api: { atRest: 12_288, atAll: 16_384 },
    admin: { atRest: 192, atAll: 256 },
  })
})
