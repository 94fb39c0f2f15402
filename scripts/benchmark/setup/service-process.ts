import type { DeviceSet } from './device-set.ts'
import { endsWithUs } from './ends-with-us.ts'

/** The compiled service in its own process. Disposing keeps its data directory. */
export interface ServiceProcess extends AsyncDisposable {
  readonly url: string
  readonly adminUrl: string
  readonly pid: number
  /** From spawn to the ready line, in ms. */
  readonly startMs: number
  /** Credentials of the application. */
  readonly headers: Readonly<Record<string, string>>
  /** Calls the API or the admin listener; returns the parsed answer. Throws unless it is 2xx. */
  call(method: string, path: string, body?: unknown): Promise<any>
  admin(path: string): Promise<any>
}

interface ServiceOptions {
  readonly binary: string
  /** The run changes it: see `copyOf`. */
  readonly devices: Pick<DeviceSet, 'directory' | 'applicationId' | 'secret'>
  /** Replaces APNs, FCM and browsers' push services; without it nothing can be sent. */
  readonly gateway?: { readonly origin: string; readonly ca: string }
  /** Of `serve`. Default none. */
  readonly flags?: readonly string[]
}

export async function startServiceProcess({
  binary,
  devices,
  gateway,
  flags = [],
}: ServiceOptions): Promise<ServiceProcess> {
  const started = performance.now()
  const serve = ['serve', `--data=${devices.directory}`, '--listen=127.0.0.1:0', '--admin-listen=127.0.0.1:0']
  const child = endsWithUs(
    Bun.spawn([binary, ...serve, '--log-level=warn', ...flags], {
      env: environment(gateway),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  )
  const { url, adminUrl } = await ready(child.stdout)
  const startMs = performance.now() - started
  const headers = headersOf(devices)
  return {
    url,
    adminUrl,
    pid: child.pid,
    startMs,
    headers,
    call: (method, path, body) =>
      answer(url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }),
    admin: (path) => answer(adminUrl + path, {}),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

/** The same process, called by another of its applications. */
export function ofApplication(
  service: ServiceProcess,
  application: Pick<DeviceSet, 'applicationId' | 'secret'>,
): Pick<ServiceProcess, 'call'> {
  const headers = headersOf(application)
  return {
    call: (method, path, body) => answer(service.url + path, { method, headers, body: JSON.stringify(body) }),
  }
}

function headersOf({ applicationId, secret }: Pick<DeviceSet, 'applicationId' | 'secret'>) {
  return {
    'accept-version': '1',
    'content-type': 'application/json',
    'x-service-appid': applicationId,
    'x-service-secret': secret,
  }
}

/** Excludes the caller's settings, such as a proxy. */
function environment(gateway: ServiceOptions['gateway']): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR } = process.env
  if (gateway === undefined) return { PATH, HOME, TMPDIR }
  const { origin, ca } = gateway
  return {
    PATH,
    HOME,
    TMPDIR,
    BELLHOP_APNS_URL: origin,
    BELLHOP_FCM_URL: origin,
    BELLHOP_FCM_TOKEN_URL: `${origin}/token`,
    BELLHOP_PUSH_SERVICES: origin,
    BELLHOP_GATEWAY_CA: ca,
  }
}

async function ready(stdout: ReadableStream<Uint8Array>): Promise<{ url: string; adminUrl: string }> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stdout) {
    text += decoder.decode(chunk, { stream: true })
    const [, url, adminUrl] = /^ready (\S+) admin (\S+)\n/m.exec(text) ?? []
    if (url !== undefined && adminUrl !== undefined) return { url, adminUrl }
  }
  throw new Error(`the service did not get ready: ${text}`)
}

async function answer(url: string, init: RequestInit): Promise<any> {
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${url}: ${response.status} ${await response.text()}`)
  return response.json()
}
