import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '../../support/certificate.ts'
import { startService } from '../../support/service.ts'
import type { Service } from '../../support/service.ts'

const SCRIPTS = join(import.meta.dir, '../../../scripts/proxy')
const NAME = 'push.example.com'
/**
 * An address of this machine at which nothing else listens: a port of it stays free until the proxy takes it. Other
 * systems than Linux have no more than the one.
 */
const HOST = process.platform === 'linux' ? '127.0.53.1' : '127.0.0.1'
const { certificate, privateKey } = makeCertificate({ name: NAME })

interface Proxy extends AsyncDisposable {
  call(method: string, path: string, call?: { body?: string; forwardedFor?: string }): Promise<Response>
}

/** A port that was free a moment ago. */
function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: HOST, fetch: () => new Response() })
  const port = Number(server.url.port)
  void server.stop(true)
  return port
}

const directory = mkdtempSync(join(tmpdir(), 'bellhop-proxy-'))
const certFile = join(directory, 'fullchain.pem')
const keyFile = join(directory, 'privkey.pem')
writeFileSync(certFile, certificate)
writeFileSync(keyFile, privateKey, { mode: 0o600 })

/** The file of scripts/proxy, with another port and certificate, before this service. */
function nginx(service: Service, port: number): string[] {
  const server = readFileSync(join(SCRIPTS, 'nginx.conf'), 'utf8')
    .replace('127.0.0.1:8790', new URL(service.url).host)
    .replace('listen 443', `listen ${HOST}:${port}`)
    .replace(/listen \[::\]:443.*\n/, '')
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certFile};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${keyFile};`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (of) => `${of}_temp_path ${directory}/${of};`,
  )
  const file = join(directory, 'nginx.conf')
  // Its workers would else be another user's, and write nothing here.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const main = `${user} daemon off; pid ${directory}/nginx.pid; error_log stderr; worker_processes 1; events {}`
  writeFileSync(file, `${main} http { access_log off; ${temporary.join(' ')}\n${server}}`)
  return ['nginx', '-p', directory, '-c', file]
}

function caddy(service: Service, port: number): string[] {
  const server = readFileSync(join(SCRIPTS, 'Caddyfile'), 'utf8')
    .replace('127.0.0.1:8790', new URL(service.url).host)
    .replace('{\n\tservers', `{\n\tadmin off\n\tauto_https off\n\tservers`)
    .replace(`${NAME} {`, `https://${NAME}:${port} {\n\tbind ${HOST}\n\ttls ${certFile} ${keyFile}`)
  const file = join(directory, 'Caddyfile')
  writeFileSync(file, server)
  return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file]
}

async function start(command: readonly string[], service: Service, port: number): Promise<Proxy> {
  const home = { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory }
  const child = Bun.spawn([...command], { env: { ...process.env, ...home }, stdout: 'ignore', stderr: 'pipe' })
  const { id, secret } = service.application
  const call: Proxy['call'] = (method, path, { body, forwardedFor } = {}) =>
    fetch(`https://${HOST}:${port}${path}`, {
      method,
      headers: {
        host: NAME,
        'accept-version': '1',
        'content-type': 'application/json',
        'x-service-appid': id,
        ...(forwardedFor === undefined ? { 'x-service-secret': secret } : { 'x-forwarded-for': forwardedFor }),
      },
      ...(body !== undefined && { body }),
      tls: { ca: certificate, serverName: NAME },
      keepalive: false,
    })
  const up = async (): Promise<void> => {
    // It says in its own way, or not at all, that it listens.
    while (child.exitCode === null && (await call('GET', '/healthz').catch(() => null)) === null) await Bun.sleep(10)
    if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text())
  }
  await up()
  return {
    call,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe.each([
  ['nginx', nginx],
  ['caddy', caddy],
] as const)('behind %s, where it is installed, with the file of scripts/proxy', (program, prepare) => {
  const missing = Bun.which(program) === null
  let service: Service
  let proxy: Proxy
  beforeAll(async () => {
    if (missing) return
    service = await startService({
      limits: { rate: 0.001, burst: 2, backendRate: 0 },
      config: { trustedProxies: ['127.0.0.1'] },
    })
    const port = freePort()
    proxy = await start(prepare(service, port), service, port)
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
