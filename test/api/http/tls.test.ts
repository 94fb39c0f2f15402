import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import type { Pem } from '../../../src/gateway/simulator/certificate.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { startService } from '../../support/service.ts'
import type { LogLine, Service } from '../../support/service.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const directory = temporaryDirectory('bellhop-tls')
const files = { tlsCert: join(directory.path, 'fullchain.pem'), tlsKey: join(directory.path, 'privkey.pem') }
const MINUTE_MS = 60_000
const [first, renewed] = [makeCertificate({ name: 'first' }), makeCertificate({ name: 'renewed' })]

function put({ certificate, privateKey }: Pem): void {
  writeFileSync(files.tlsCert, certificate)
  writeFileSync(files.tlsKey, privateKey)
}

// The certificates are good from the machine's own yesterday on.
const clock = createFakeClock(Date.now())
let service: Service
beforeAll(async () => {
  put(first)
  service = await startService({ clock, config: files })
})
beforeEach(() => {
  put(first)
  clock.advance(MINUTE_MS)
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  directory[Symbol.dispose]()
})

/** A handshake with the service; the name in the certificate it shows. */
async function shown(): Promise<string> {
  const socket = await handshake()
  const name = String(socket.getPeerCertificate().subject.CN)
  socket.destroy()
  return name
}

function handshake(): Promise<TLSSocket> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => resolve(socket))
    socket.on('error', reject)
  })
}

function call(path: string, init: BunFetchRequestInit = {}): Promise<Response> {
  const { id, secret } = service.application
  return fetch(service.url + path, {
    ...init,
    headers: {
      'accept-version': '1',
      'content-type': 'application/json',
      'x-service-appid': id,
      'x-service-secret': secret,
    },
    tls: { ca: [first.certificate, renewed.certificate], checkServerIdentity: () => undefined },
  })
}

function errors(): LogLine[] {
  return service.log.filter(({ level, event }) => level === 'error' && String(event).startsWith('the TLS'))
}

test('the API is served over TLS, and its paths are read as without', async () => {
  expect(service.url).toStartWith('https://127.0.0.1:')
  expect(service.adminUrl).toStartWith('http://')
  const body = JSON.stringify({ token: 'ab'.repeat(32), platform: '0' })
  expect((await call('//deviceToken?x=//y', { method: 'PUT', body })).status).toBe(201)
  const listed = await (await call('/deviceToken/all')).json()
  expect(listed).toContainEqual(expect.objectContaining({ token: 'ab'.repeat(32) }))
  expect((await call('/deviceToken/all/')).status).toBe(404)
  expect(await (await call('/healthz')).json()).toEqual({ status: 'ok' })
})

const bound = async (path: string) => (await call(path)).headers.get('strict-transport-security')

test('browsers are bound to https, whatever is answered, for as long as is set; over plain http they are not', async () => {
  for (const path of ['/healthz', '/nope', '/docs']) expect(await bound(path)).toBe('max-age=15552000')
  expect((await fetch(`${service.adminUrl}/healthz`)).headers.get('strict-transport-security')).toBeNull()
  await using plain = await startService({ simulated: false })
  expect((await fetch(`${plain.url}/healthz`)).headers.get('strict-transport-security')).toBeNull()
})

test('with --hsts-days 0 browsers are let go', async () => {
  await using free = await startService({ simulated: false, config: { ...files, hstsDays: 0 } })
  const answer = await fetch(`${free.url}/healthz`, { tls: { rejectUnauthorized: false } })
  expect(answer.headers.get('strict-transport-security')).toBe('max-age=0')
})

test('a short host name does not hide the path', async () => {
  const socket = await handshake()
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  expect(await answer).toStartWith('HTTP/1.1 200')
  socket.destroy()
})

test('a renewed certificate is shown within a minute, and calls under way are answered', async () => {
  expect(await shown()).toBe('first')
  const body = JSON.stringify({ token: 'cd'.repeat(32), platform: '0' })
  const socket = await handshake()
  const { application } = service
  const head = [
    'PUT /deviceToken HTTP/1.1',
    'Host: localhost',
    'Accept-Version: 1',
    `X-SERVICE-APPID: ${application.id}`,
    `X-SERVICE-SECRET: ${application.secret}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`)
  // Answered after that one was: its head has been read.
  expect(await shown()).toBe('first')
  put(renewed)
  expect(await shown()).toBe('first')
  clock.advance(MINUTE_MS)
  expect(await shown()).toBe('renewed')
  socket.write(body.slice(5))
  expect(await answer).toStartWith('HTTP/1.1 201')
  socket.destroy()
  expect(service.log).toContainEqual(expect.objectContaining({ event: 'the TLS certificate is renewed' }))
})

test('a reload looks at once', async () => {
  put(renewed)
  service.server.reload()
  expect(await shown()).toBe('renewed')
})

test('files that do not fit are not used: the log says so once, and the old ones stay', async () => {
  const before = errors().length
  writeFileSync(files.tlsCert, renewed.certificate)
  clock.advance(5 * MINUTE_MS)
  expect(await shown()).toBe('first')
  expect(errors().slice(before)).toMatchObject([
    {
      event: `the TLS files are not used: The key in ${files.tlsKey} does not belong to the certificate in ${files.tlsCert}, which has to come first.`,
    },
  ])
  writeFileSync(files.tlsKey, renewed.privateKey)
  clock.advance(MINUTE_MS)
  expect(await shown()).toBe('renewed')
})

test('files that are gone or expired leave the old ones in use', async () => {
  const before = errors().length
  rmSync(files.tlsKey)
  clock.advance(MINUTE_MS)
  put(makeCertificate({ validTo: new Date(clock.now() - 1000) }))
  clock.advance(MINUTE_MS)
  expect(await shown()).toBe('first')
  expect(
    errors()
      .slice(before)
      .map(({ event }) => event),
  ).toEqual([
    `the TLS files are not used: --tls-key (BELLHOP_TLS_KEY): the file ${files.tlsKey} cannot be read: there is no such file.`,
    expect.stringMatching(/^the TLS files are not used: The certificate in \S+ expired on \d{4}-\d\d-\d\d\.$/),
  ])
})

test('files that cannot be used keep the service from starting', async () => {
  writeFileSync(files.tlsKey, 'nothing')
  const start = startService({ clock, config: files })
  expect(start).rejects.toThrow(`--tls-key (BELLHOP_TLS_KEY): ${files.tlsKey} holds no private key in PEM.`)
})
