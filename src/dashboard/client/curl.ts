import { computed } from '@preact/signals'
import { session } from './call.ts'

/** Tests compile this file without the browser's types. */
declare const location: { readonly origin: string; readonly hostname: string }

export const publicUrl = computed(() => reachable(session.value?.service?.url ?? '', location.hostname))

/** `0.0.0.0` and `[::]` mean every address of the machine, so `here` works. */
export function reachable(url: string, here: string): string {
  return url.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|$)/, (_, scheme: string) => scheme + here)
}

/** As a command, with the token in the environment. */
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
  /** Such as `/push/all`. */
  readonly path: string
  readonly application: string
  readonly body?: unknown
  /** Default: taken from the environment. */
  readonly secret?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** As a command that a backend can run. */
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

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
