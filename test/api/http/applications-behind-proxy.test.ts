import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine } from '../../cli/command-line.ts'
import { mirrorHindrance, openMirror } from '../../failover/mirror.ts'
import { freePort, nginxWith, proxyPlace, startProxy } from '../../support/proxy.ts'
import type { Proxy, ProxyPlace } from '../../support/proxy.ts'
import { command, serve } from '../../support/service-process.ts'
import type { ServiceProcess } from '../../support/service-process.ts'
import { startService } from '../../support/service.ts'
import type { Credentials, Service } from '../../support/service.ts'

/* Three servers behind one address, with the files of scripts/proxy: two here, and a process whose volume moves. */

const read = (name: string) => readFileSync(join(import.meta.dir, '../../../scripts/proxy', name), 'utf8')

/** Host and port of each server, and the applications of the second and third. */
interface Order {
  readonly place: ProxyPlace
  readonly servers: readonly string[]
  readonly second: string
  readonly third: string
}

const ordered = (text: string, { servers, second, third }: Omit<Order, 'place'>) =>
  [8790, 8890, 8990]
    .reduce((sofar, port, at) => sofar.replace(`127.0.0.1:${port}`, servers[at] ?? ''), text)
    .replace('app_7kgmgrloqvsnqm4r', second)
    .replace('app_c2hvcnrlbibpdcbu', third)

function nginx({ place, ...order }: Order): string[] {
  const site = read('nginx.conf')
    .replace(/upstream bellhop \{[^}]+\}/, '')
    .replaceAll('http://bellhop;', 'http://$bellhop;')
  return nginxWith(place, ordered(read('nginx-applications.conf'), order), site)
}

function haproxy({ place: { directory, host, port, files }, ...order }: Order): string[] {
  const [file, map] = [join(directory, 'haproxy.cfg'), join(directory, 'applications.map')]
  writeFileSync(map, ordered(read('haproxy-applications.map'), order))
  const config = ordered(read('haproxy.cfg'), order)
    .replace('bind :443', `bind ${host}:${port}`)
    .replace('/etc/haproxy/certs/push.example.com.pem', files.both)
    .replaceAll('/etc/haproxy/bellhop-applications.map', map)
  writeFileSync(file, config)
  return ['haproxy', '-f', file]
}

describe.each([
  ['nginx', nginx],
  ['haproxy', haproxy],
] as const)('applications behind %s, where it is installed', (program, prepare) => {
  const missing = Bun.which(program) === null
  const opened = new AsyncDisposableStack()
  const line = opened.use(commandLine())
  const volume = mirrorHindrance() === null ? openMirror : null
  let first: Service
  let second: Service
  let third: ServiceProcess
  let applications: readonly Credentials[]
  let proxy: Proxy
  /** Kills the third server, and starts it on the other copy of its volume. `meanwhile`: between the two. */
  let failOver: (meanwhile: () => Promise<void>) => Promise<void>

  beforeAll(async () => {
    if (missing) return
    const place = opened.use(proxyPlace())
    first = opened.use(await startService({ config: { trustedProxies: ['127.0.0.1'] } }))
    second = opened.use(await startService({ config: { trustedProxies: ['127.0.0.1'] } }))
    const mirror = volume === null ? null : opened.use(await volume())
    const data = join(mirror?.directory ?? place.directory, 'data')
    mkdirSync(data, { mode: 0o700 })
    const made = JSON.parse((await command(['app', 'create', 'third', '--json', '--data', data])).stdout) as Credentials
    await command(['app', 'simulate', 'third', '--yes', '--data', data])
    applications = [first.application, second.application, made]
    const port = freePort('127.0.0.1')
    const start = () => serve(data, {}, [`--listen=127.0.0.1:${port}`, '--trusted-proxies=127.0.0.1'])
    third = await start()
    opened.defer(() => third[Symbol.asyncDispose]())
    failOver = async (meanwhile) => {
      await third.kill('SIGKILL')
      await mirror?.fence()
      await meanwhile()
      await mirror?.failOver()
      third = await start()
    }
    const servers = [new URL(first.url).host, new URL(second.url).host, `127.0.0.1:${port}`]
    const order = { place, servers, second: second.application.id, third: made.id }
    proxy = opened.use(await startProxy(prepare(order), place, first.application))
  }, 60_000)
  afterAll(() => opened.disposeAsync())

  const tokenOf = (n: number) => `${n}`.repeat(64)
  const register = (n: number, as: Credentials) =>
    proxy.call('PUT', '/deviceToken', { as, body: JSON.stringify({ token: tokenOf(n), platform: '0' }) })
  const tokensOf = async (url: string, { id, secret }: Credentials) => {
    const headers = { 'accept-version': '1', 'x-service-appid': id, 'x-service-secret': secret }
    const answer = await fetch(`${url}/deviceToken/all`, { headers })
    return ((await answer.json()) as { token: string }[]).map(({ token }) => token)
  }

  test.skipIf(missing)('each registers with its own server, and pushes from it', async () => {
    const urls = [first.url, second.url, third.url]
    for (const [n, as] of applications.entries()) {
      expect((await register(n, as)).status).toBe(201)
      const push = { platform: ['0'], msg: 'hello', sound: '', badge: '' }
      const accepted = await proxy.call('POST', '/push/all', { as, body: JSON.stringify(push) })
      expect(accepted.status).toBe(200)
      const { id } = (await accepted.json()) as { id: string }
      const asks = { 'accept-version': '1', 'x-service-appid': as.id, 'x-service-secret': as.secret }
      const answers = await Promise.all(urls.map((url) => fetch(`${url}/push/${id}`, { headers: asks })))
      expect(answers.map(({ status }) => status)).toEqual(urls.map((_, other) => (other === n ? 200 : 401)))
      // Beside what another test has registered.
      const tokens = await tokensOf(urls[n] ?? '', as)
      expect([0, 1, 2].filter((other) => tokens.includes(tokenOf(other)))).toEqual([n])
    }
  })

  test.skipIf(missing)('one that no server has gets 401, as from one server alone', async () => {
    for (const as of [
      { id: 'app_nobodyhasthisone', secret: 'wrong' },
      { ...applications[1], id: 'app_other' },
    ]) {
      const answer = await proxy.call('GET', '/analytics', { as })
      expect([answer.status, await answer.json()]).toEqual([
        401,
        { code: 'InvalidCredentials', message: 'Application ID and/or Secret unauthorized.' },
      ])
    }
    const none = await proxy.call('GET', '/analytics', { as: null })
    expect([none.status, await none.json()]).toMatchObject([400, { message: 'Authentication headers not found.' }])
  })

  test.skipIf(missing)('calls without the header go where their path says', async () => {
    const publicKey = second.makeWebPushKey(second.application)
    const key = await proxy.call('GET', `/webpush/${second.application.id}/key`, { as: null })
    expect(await key.json()).toEqual({ publicKey })
    const hook = { event: '{{ id }}', push: { platform: ['0'], msg: 'Order {{ id }}', sound: '', badge: '' } }
    const template = line.file('orders.json', JSON.stringify(hook))
    const args = ['hook', 'create', second.application.id, 'orders', '--template', template]
    const { stdout, stderr } = await line.run(args, { BELLHOP_DATA: second.data })
    const path = /\/hook\/orders\/bhh_[\w-]+/.exec(stdout)?.[0]
    expect([path, stderr]).toEqual([expect.any(String), ''])
    const event = { as: null, body: JSON.stringify({ id: '17' }) }
    expect((await proxy.call('POST', path ?? '', event)).status).toBe(200)
    expect((await proxy.call('POST', '/hook/unknown/bhh_x', event)).status).toBe(401)
    const asks = { origin: 'https://shop.example', 'access-control-request-method': 'PUT' }
    expect((await proxy.call('OPTIONS', '/deviceToken', { as: null, headers: asks })).status).toBe(204)
    for (const page of ['/manual/hooks', '/webpush/client.js', '/openapi.json', '/healthz']) {
      expect([page, (await proxy.call('GET', page, { as: null })).status]).toEqual([page, 200])
    }
  })

  test.skipIf(missing)('each server says of itself alone, at its own admin address, whether it is well', async () => {
    expect((await fetch(`${third.adminUrl}/readyz`)).status).toBe(200)
    expect((await proxy.call('GET', '/readyz', { as: null })).status).toBe(404)
  })

  test.skipIf(missing)('while one fails over, the others go on, and afterwards all of it is there', async () => {
    const [one, two, three] = applications
    if (one === undefined || two === undefined || three === undefined) throw new Error('no applications')
    expect((await register(7, three)).status).toBe(201)
    await failOver(async () => {
      expect([502, 503]).toContain((await register(8, three)).status)
      expect([(await register(8, one)).status, (await register(8, two)).status]).toEqual([201, 201])
    })
    // HAProxy looks every two seconds.
    let last = await register(9, three)
    for (; last.status === 503; last = await register(9, three)) await Bun.sleep(50)
    expect(last.status).toBe(201)
    expect(await tokensOf(third.url, three)).toContain(tokenOf(7))
  })
})
