import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nginxWith, proxyPlace, startProxy } from '../../support/proxy.ts'
import type { Proxy } from '../../support/proxy.ts'
import { startService } from '../../support/service.ts'
import type { Service } from '../../support/service.ts'

const SCRIPTS = join(import.meta.dir, '../../../scripts/proxy')
const places = [proxyPlace(), proxyPlace()] as const

/** The file of scripts/proxy, with another port and certificate, before this service. */
function nginx(service: Service): string[] {
  const server = readFileSync(join(SCRIPTS, 'nginx.conf'), 'utf8')
  return nginxWith(places[0], server.replace('127.0.0.1:8790', new URL(service.url).host))
}

function caddy(service: Service): string[] {
  const { directory, host, port, name, files } = places[1]
  const server = readFileSync(join(SCRIPTS, 'Caddyfile'), 'utf8')
    .replace('127.0.0.1:8790', new URL(service.url).host)
    .replace('{\n\tservers', `{\n\tadmin off\n\tauto_https off\n\tservers`)
    .replace(`${name} {`, `https://${name}:${port} {\n\tbind ${host}\n\ttls ${files.certificate} ${files.key}`)
  const file = join(directory, 'Caddyfile')
  writeFileSync(file, server)
  return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file]
}

afterAll(() => places.forEach((place) => place[Symbol.dispose]()))

describe.each([
  ['nginx', nginx, places[0]],
  ['caddy', caddy, places[1]],
] as const)('behind %s, where it is installed, with the file of scripts/proxy', (program, prepare, place) => {
  const missing = Bun.which(program) === null
  let service: Service
  let proxy: Proxy
  beforeAll(async () => {
    if (missing) return
    service = await startService({
      limits: { rate: 0.001, burst: 2, backendRate: 0 },
      config: { trustedProxies: ['127.0.0.1'] },
    })
    proxy = await startProxy(prepare(service), place, service.application)
  })
  afterAll(async () => {
    if (missing) return
    await proxy[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })

  test.skipIf(missing)('devices register, a push is taken, and the list of them comes whole', async () => {
    for (const token of ['ab', 'cd']) {
      const body = JSON.stringify({ token: token.repeat(32), platform: '0' })
      expect((await proxy.call('PUT', '/deviceToken', { body })).status).toBe(201)
    }
    const push = { platform: ['0', '1'], msg: 'hello', sound: '', badge: '' }
    expect((await proxy.call('POST', '/push/all', { body: JSON.stringify(push) })).status).toBe(200)
    const listed = await proxy.call('GET', '/deviceToken/all')
    expect(await listed.json()).toHaveLength(2)
    expect(listed.headers.get('x-request-id')).toBeString()
  })

  test.skipIf(missing)('a body that is too large is refused as Bellhop refuses it', async () => {
    const answer = await proxy.call('PUT', '/deviceToken', { body: JSON.stringify({ token: 'x'.repeat(300_000) }) })
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ code: 'RequestEntityTooLargeError' })
  })

  test.skipIf(missing)('a caller cannot pass for others: what it says of itself is not handed on', async () => {
    const statuses: number[] = []
    for (const forwardedFor of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const body = JSON.stringify({ platform: '0' })
      statuses.push((await proxy.call('PUT', '/stats', { body, forwardedFor })).status)
    }
    expect(statuses).toEqual([200, 200, 429])
    expect(service.log.filter(({ event }) => String(event).includes('--trusted-proxies'))).toEqual([])
  })

  test.skipIf(missing)('the admin side is not there', async () => {
    for (const path of ['/readyz', '/metrics']) expect((await proxy.call('GET', path)).status).toBe(404)
  })
})
