import { isIPv4, isIPv6 } from 'node:net'
import type { SettingType } from './setting-type.ts'

export interface ListenAddress {
  /** A name or an IP address; an IPv6 address without its brackets. */
  readonly host: string
  /** 0 = a free one, picked at start. */
  readonly port: number
}

const address: SettingType<ListenAddress> = {
  expected: 'host:port, such as 127.0.0.1:8790',
  placeholder: 'HOST:PORT',
  read(text) {
    const parts = /^(?:\[(?<ipv6>[^\]]+)\]|(?<host>[A-Za-z0-9.-]+)):(?<port>\d{1,5})$/.exec(text)?.groups
    if (parts === undefined) return undefined
    const { ipv6, host = '' } = parts
    const port = Number(parts['port'])
    if (port > 65_535 || (ipv6 === undefined ? !isHost(host) : !isIPv6(ipv6))) return undefined
    return { host: ipv6 ?? host, port }
  },
}

/** A port alone, `8790` or `:8790`, is on 127.0.0.1: others are let in explicitly. */
export const listenAddress: SettingType<ListenAddress> = {
  ...address,
  read: (text) => address.read(/^:?\d+$/.test(text) ? `127.0.0.1:${text.replace(':', '')}` : text),
}

/** `127.0.0.1:8790`, `[::1]:8790` */
export function hostPort({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

export const serverAddress: SettingType<string> = {
  expected: 'where an admin side is reached, such as https://admin.example.com',
  placeholder: 'URL',
  read(text) {
    const url = URL.canParse(text) ? new URL(text) : null
    const isOrigin = url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
    return isOrigin && /^https?:$/.test(url.protocol) ? url.origin : undefined
  },
}

/** Also http: it may be for one machine, or a private network. */
export const publicOrigin: SettingType<string> = {
  ...serverAddress,
  expected: 'an http or https origin without a path, such as https://push.example.com',
}

/** Scheme, host and port, without a slash at the end. */
export const httpsOrigin: SettingType<string> = {
  expected: 'an https origin without a path, such as https://api.push.apple.com',
  placeholder: 'URL',
  read(text) {
    const url = httpsUrlIn(text)
    return url?.pathname === '/' && url.search === '' ? url.origin : undefined
  },
}

/** Origins, each perhaps with a path, without a slash at the end. */
export const httpsPrefixes = listOf({
  expected: 'an https origin, perhaps with a path, such as https://push.example.com or https://example.com/push',
  placeholder: 'URL',
  read(part) {
    const url = httpsUrlIn(part)
    // A path spelled differently would be a prefix of no endpoint.
    const isPlain = url?.search === '' && /^(\/[\w.~-]+)*\/?$/.test(url.pathname)
    return isPlain ? url.href.replace(/\/$/, '') : undefined
  },
})

export const httpsUrl: SettingType<string> = {
  expected: 'an https address, such as https://oauth2.googleapis.com/token',
  placeholder: 'URL',
  read: (text) => httpsUrlIn(text)?.href,
}

export interface ProxyAddress extends ListenAddress {
  /** `Basic …` (RFC 7617); `null`: without credentials. */
  readonly authorization: string | null
}

export const httpProxy: SettingType<ProxyAddress> = {
  expected: 'http://host:port or http://user:password@host:port, with special characters percent-encoded',
  placeholder: 'URL',
  read(text) {
    const url = URL.parse(text.trim())
    const to = address.read(/^http:\/\/(?:[^/?#]*@)?([^/?#@]*)\/?$/i.exec(text.trim())?.[1] ?? '')
    if (url === null || to === undefined || to.port === 0) return undefined
    const user = percentDecoded(url.username)
    const password = percentDecoded(url.password)
    // A colon ends the name (RFC 7617, 2); a control character has no place in a header.
    if (user === undefined || password === undefined || user.includes(':') || /\p{Cc}/u.test(user + password)) {
      return undefined
    }
    const credentials = Buffer.from(`${user}:${password}`).toString('base64')
    return { ...to, authorization: url.username + url.password === '' ? null : `Basic ${credentials}` }
  },
  show: (proxy) => `http://${proxy.authorization === null ? '' : '…@'}${hostPort(proxy)}`,
}

/** Networks as `10.0.0.0/8`, `fd00::/8` or a single address; kept as text. */
export const networks = listOf({
  expected: 'an address or a network such as 127.0.0.1, 10.0.0.0/8 or fd00::/8',
  placeholder: 'NETWORK',
  read: (part) => (isNetwork(part) ? part : undefined),
})

/** The NAMEs of headers such as X-NAME-APPID, in upper case. */
export const headerNames = listOf({
  expected: 'a name of 1 to 64 letters, digits and hyphens, such as ACME for X-ACME-APPID',
  placeholder: 'NAME',
  read: (part) => (isHeaderName(part) ? part.toUpperCase() : undefined),
})

export const hostNames = listOf({
  expected: 'a host name without a port, such as bellhop or admin.example.com',
  placeholder: 'NAME',
  read: (part) => (isHostName(part) ? part.toLowerCase() : undefined),
})

/** Several of one type, separated by commas, without duplicates. */
function listOf(one: SettingType<string>): SettingType<readonly string[]> {
  return {
    expected: one.expected,
    placeholder: one.placeholder,
    flag: 'list',
    read(text) {
      const values = listed(text).map((part) => one.read(part))
      return values.every((value) => value !== undefined) ? [...new Set(values)] : undefined
    },
    wrongPart: (text) => listed(text).find((part) => one.read(part) === undefined),
    show: (values) => values.join(','),
  }
}

function listed(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim())
}

function isNetwork(text: string): boolean {
  const [, ip = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const max = isIPv4(ip) ? 32 : isIPv6(ip) ? 128 : -1
  return max > 0 && Number(bits ?? max) <= max
}

function isHostName(name: string): boolean {
  return /^[a-z\d_]([a-z\d_.-]{0,251}[a-z\d_])?$/i.test(name)
}

function isHeaderName(name: string): boolean {
  return /^(?!-)[A-Za-z0-9-]{1,64}(?<!-)$/.test(name)
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function isHost(host: string): boolean {
  // A name of digits and dots only would be an IPv4 address with a mistake in it.
  if (/^[\d.]+$/.test(host)) return isIPv4(host)
  return host.split('.').every((label) => /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/.test(label))
}

function httpsUrlIn(text: string): URL | undefined {
  const url = URL.parse(text) ?? undefined
  const plain = url?.protocol === 'https:' && url.username === '' && url.password === '' && url.hash === ''
  return plain ? url : undefined
}
