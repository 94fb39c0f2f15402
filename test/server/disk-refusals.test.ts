import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createFaultPlan } from '../nth/fault-plan.ts'
import { tracedProgram, tracingHindrance } from '../nth/traced.ts'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { command, limited, serve, shopHeaders } from '../support/service-process.ts'
import { until } from '../support/until.ts'

/* SQLite calls a disk's refusal an I/O error. */
const parent = directoryOfTests('bellhop-refusals')

async function dataDirectory(name: string) {
  const data = join(parent, name)
  const headers = await shopHeaders(data)
  await command(['app', 'limits', 'shop', '--rate', '0', '--backend-rate', '0', '--data', data])
  const put = async (url: string, from: number, count = 1) => {
    const tokens = Array.from({ length: count }, (_, n) => (from + n).toString(16).padStart(64, '0'))
    const [path, body] =
      count === 1
        ? ['/deviceToken', { token: tokens[0], platform: '0' }]
        : ['/deviceToken/batch', { tokens, platform: '0' }]
    return fetch(url + path, { method: 'PUT', headers, body: JSON.stringify(body) })
  }
  return { data, put }
}

const hindrance = await tracingHindrance()

test.if(hindrance === null)(
  'a quota that is used up is a full disk: 507, the reserve is let go, and it goes on when there is room',
  async () => {
    const { data, put } = await dataDirectory('quota')
    const quota = createFaultPlan()
    const tracer = tracedProgram({ command: [], compiled: true }, quota, data)
    await using service = await serve(data, {}, [], tracer.command)
    expect((await put(service.url, 0)).status).toBe(201)
    await until(() => existsSync(join(data, 'reserve')))

    quota.arm('EDQUOT', 1)
    const refused = await put(service.url, 1)
    expect(refused.status).toBe(507)
    expect(await refused.json()).toMatchObject({ code: 'InsufficientStorageError' })
    expect(existsSync(join(data, 'reserve'))).toBe(false)
    const ready = await fetch(`${service.adminUrl}/readyz?probe`)
    expect(ready.status).toBe(503)
    expect(await ready.text()).toContain('the quota of the disk is used up')
    await until(() => service.log().includes('the reserve is gone: the disk quota was used up'))

    quota.disarm()
    expect((await put(service.url, 2)).status).toBe(201)
    expect(existsSync(join(data, 'reserve'))).toBe(false)
    expect((await fetch(`${service.adminUrl}/readyz?probe`)).status).toBe(200)
  },
)

test.if(process.platform === 'linux')(
  'a file that may not grow is told as that, and the service is not ready',
  async () => {
    const { data, put } = await dataDirectory('large')
    // Blocks of 512 bytes: 1 MiB.
    await using service = await serve(data, {}, [], limited('-f', 2048))
    const statuses: number[] = []
    for (let n = 0; n < 20; n++) statuses.push((await put(service.url, n * 500, 500)).status)
    expect(statuses).toContain(500)
    const ready = await fetch(`${service.adminUrl}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.text()).toContain('a file of it is as large as this process may write (LimitFSIZE=, ulimit -f)')
    expect(service.log()).toContain('The database cannot grow')
  },
)
