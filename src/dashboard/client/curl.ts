import { computed } from '@preact/signals'
import { session } from './call.ts'

/** Declared for tests, which are compiled without the browser's types. */
declare const location: { readonly origin: string; readonly hostname: string }

export const publicUrl = computed(() => reachable(session.value?.service?.url ?? '', location.hostname))

/** `0.0.0.0` and `[::]` stand for every address of the machine, so for the one of this page. */
export function reachable(url: string, here: string): string {
  return url.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/, (_, scheme: string) => scheme + here)
}

/** A call of the admin API as a command, with the token in the environment. */
export function adminCurl(method: string, path: string, body?: unknown): string {
  const lines = [
    `curl ${verb(method)}${quoted(location.origin + path)}`,
    '-H "Authorization: Bearer $BELLHOP_ADMIN_TOKEN"',
  ]
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`)
  return lines.join(' \\\n  ')
}

interface PublicCall {
  readonly method: string
  /** Below the public API: `/push/all`. */
  readonly path: string
  readonly application: string
  readonly body?: unknown
  /** Default: from the environment. */
  readonly secret?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** A call of the public API by a backend, as a command. */
export function publicCurl({ method, path, application, body, secret = null, headers = {} }: PublicCall): string {
  const more = Object.entries(headers).map(([name, value]) => quoted(`${name}: ${value}`))
  const lines = [
    `curl ${verb(method)}${quoted(publicUrl.value + path)}`,
    `-H 'Accept-Version: 1' -H ${quoted(`X-SERVICE-APPID: ${application}`)}`,
    secret === null ? '-H "X-SERVICE-SECRET: $BELLHOP_SECRET"' : `-H ${quoted(`X-SERVICE-SECRET: ${secret}`)}`,
    ...more.map((header) => `-H ${header}`),
  ]
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`)
  return lines.join(' \\\n  ')
}

const verb = (method: string): string => (method === 'GET' ? '' : `-X ${method} `)

/** In single quotes, which only another one ends. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
