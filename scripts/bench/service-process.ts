import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApplicationStore } from '../../src/application/application-store.ts'
import { readApnsKey } from '../../src/application/credential.ts'
import { createCredentialStore } from '../../src/application/credential-store.ts'
import { loadSealingKey } from '../../src/application/sealing-key.ts'
import { systemClock } from '../../src/clock.ts'
import { openDatabase } from '../../src/database/database.ts'
import { createDeviceStore } from '../../src/device/device-store.ts'

export interface ServiceProcess extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** From spawn to the ready line, in ms. */
  readonly startMs: number
  readonly data: string
  call(method: string, path: string, body?: unknown): Promise<any>
  readonly headers: Readonly<Record<string, string>>
  /** The signing key of its credential, PEM. */
  readonly p8: string
}

/** Of the credential of every bench. */
export const IDENTITY = { keyId: 'ABCDE12345', teamId: 'ABCDE12345', topic: 'com.example.bench' }

/** The service as a process of its own, on a new data directory with `devices` iOS devices of one application. */
export async function startServiceProcess(options: {
  readonly devices: number
  readonly env?: Readonly<Record<string, string>>
  readonly command?: readonly string[]
}): Promise<ServiceProcess> {
  const data = mkdtempSync(join(tmpdir(), 'bellhop-bench-'))
  const { id, secret, p8 } = prepare(data, options.devices)
  const started = performance.now()
  const child = Bun.spawn(
    [
      ...(options.command ?? [process.execPath, join(import.meta.dir, '../../src/main.ts')]),
      'serve',
      '--data',
      data,
      '--listen=127.0.0.1:0',
      '--admin-listen=127.0.0.1:0',
      '--log-level=warn',
    ],
    {
      env: { ...process.env, NODE_ENV: 'production', BUN_CONFIG_MAX_HTTP_REQUESTS: undefined, ...options.env },
      stdout: 'pipe',
      stderr: 'inherit',
    },
  )
  const url = await ready(child.stdout)
  const startMs = performance.now() - started
  const headers = {
    'accept-version': '1',
    'content-type': 'application/json',
    'x-service-appid': id,
    'x-service-secret': secret,
  }
  return {
    url,
    pid: child.pid,
    startMs,
    data,
    headers,
    p8,
    async call(method, path, body) {
      const response = await fetch(url + path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return response.json()
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await child.exited
      rmSync(data, { recursive: true })
    },
  }
}

function prepare(data: string, count: number): { id: string; secret: string; p8: string } {
  using database = openDatabase(data)
  const applications = createApplicationStore({ database, clock: systemClock })
  const made = applications.create('bench')
  if (made.kind !== 'created') throw new Error(made.kind)
  applications.setLimits(made.application.id, { rate: 0, backendRate: 0, quota: 0 })
  const p8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const credential = readApnsKey({
    p8,
    ...IDENTITY,
    environment: 'production',
  })
  if (credential.kind === 'problem') throw new Error(credential.problem)
  const key = loadSealingKey({ dataDirectory: data, hasCredentials: false })
  if (key.kind === 'problem') throw new Error(key.problem)
  createCredentialStore({ database, clock: systemClock, key: key.key }).put(made.application, credential)

  const devices = createDeviceStore({ database, clock: systemClock })
  for (let from = 0; from < count; from += 5000) {
    database.transact(() => {
      for (let n = from; n < Math.min(from + 5000, count); n++) {
        devices.register(made.application.number, { token: tokenOf(n), platform: 0, tag: n < 1000 ? ['first'] : [] })
      }
    })
  }
  return { id: made.application.id, secret: made.secret, p8 }
}

/** A token for each number, spread like real ones. */
export function tokenOf(n: number): string {
  return new Bun.CryptoHasher('sha256').update(String(n)).digest('hex')
}

async function ready(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stdout) {
    text += decoder.decode(chunk, { stream: true })
    const [, url] = /^ready (\S+) admin/m.exec(text) ?? []
    if (url !== undefined) return url
  }
  throw new Error(`the service did not get ready: ${text}`)
}
