import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificate } from './certificate.ts'
import type { Credentials } from './service.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const NAME = 'push.example.com'

/**
 * An address of this machine at which nothing else listens: a port of it stays free until the proxy takes it. Other
 * systems than Linux have no more than the one.
 */
const HOST = process.platform === 'linux' ? '127.0.53.1' : '127.0.0.1'

/** Where a proxy is to be, and its files. */
export interface ProxyPlace extends Disposable {
  readonly directory: string
  readonly host: string
  readonly port: number
  /** Its host name. */
  readonly name: string
  readonly certificate: string
  /** Paths of PEM files: certificates, key, and both in one. */
  readonly files: { readonly certificate: string; readonly key: string; readonly both: string }
}

export interface ProxyCall {
  readonly body?: string
  /** What the caller says of itself. Without it the secret is sent, as from a backend. */
  readonly forwardedFor?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Default: those the proxy was started with; `null`: none. */
  readonly as?: (Pick<Credentials, 'id'> & Partial<Credentials>) | null
}

export interface Proxy extends AsyncDisposable {
  call(method: string, path: string, call?: ProxyCall): Promise<Response>
}

export function proxyPlace(): ProxyPlace {
  const own = temporaryDirectory('bellhop-proxy')
  const directory = own.path
  const { certificate, privateKey } = makeCertificate({ name: NAME })
  const path = (name: string) => join(directory, name)
  const files = { certificate: path('fullchain.pem'), key: path('privkey.pem'), both: path('both.pem') }
  writeFileSync(files.certificate, certificate)
  writeFileSync(files.key, privateKey, { mode: 0o600 })
  writeFileSync(files.both, `${certificate}\n${privateKey}`, { mode: 0o600 })
  return {
    directory,
    host: HOST,
    port: freePort(HOST),
    name: NAME,
    certificate,
    files,
    [Symbol.dispose]: () => own[Symbol.dispose](),
  }
}

/** A port that was free a moment ago. */
export function freePort(hostname: string): number {
  const server = Bun.serve({ port: 0, hostname, fetch: () => new Response() })
  const port = Number(server.url.port)
  void server.stop(true)
  return port
}

/** The command of an nginx with these files of conf.d, at another port and with another certificate. */
export function nginxWith({ directory, host, port, files }: ProxyPlace, ...sites: readonly string[]): string[] {
  const server = sites
    .join('\n')
    .replace('listen 443', `listen ${host}:${port}`)
    .replace(/listen \[::\]:443.*\n/, '')
    .replace(/ssl_certificate .*;/, `ssl_certificate ${files.certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${files.key};`)
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

/** Starts it, and waits until it answers. Throws with what it said if it does not. */
export async function startProxy(
  command: readonly string[],
  { directory, host, port, name, certificate }: ProxyPlace,
  credentials: Credentials,
): Promise<Proxy> {
  const home = { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory }
  const child = Bun.spawn([...command], { env: { ...process.env, ...home }, stdout: 'ignore', stderr: 'pipe' })
  const call: Proxy['call'] = (method, path, { body, forwardedFor, headers, as = credentials } = {}) =>
    fetch(`https://${host}:${port}${path}`, {
      method,
      headers: {
        host: name,
        'accept-version': '1',
        'content-type': 'application/json',
        ...headers,
        ...(as !== null && { 'x-service-appid': as.id }),
        ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
        ...(forwardedFor === undefined && as?.secret !== undefined && { 'x-service-secret': as.secret }),
      },
      ...(body !== undefined && { body }),
      tls: { ca: certificate, serverName: name },
      keepalive: false,
    })
  // It says in its own way, or not at all, that it listens.
  while (child.exitCode === null && (await call('GET', '/healthz').catch(() => null)) === null) await Bun.sleep(10)
  if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text())
  return {
    call,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}
