import { HOUR_MS, MINUTE_MS } from '../clock.ts'
import { backupPlace } from './backup-place.ts'
import {
  listenAddress,
  headerNames,
  hostNames,
  httpProxy,
  httpsOrigin,
  httpsPrefixes,
  httpsUrl,
  networks,
  publicOrigin,
} from './network-types.ts'
import { choice, duration, integer, onOff, path, sealingKey } from './setting-type.ts'
import type { SettingType } from './setting-type.ts'

export interface Setting<Value> {
  readonly doc: string
  readonly type: SettingType<NonNullable<Value>>
  /** `null`: without a value. */
  readonly default: null extends Value ? null : string
  /** Never quoted in a message; `BELLHOP_…_FILE` may name a file that contains it. */
  readonly secret?: true
}

const TABLE = {
  listen: {
    doc: 'Where the API listens. A port alone is of 127.0.0.1. Port 0 picks a free one.',
    type: listenAddress,
    default: '127.0.0.1:8790',
  },
  adminListen: {
    doc: 'Where the admin side listens, apart from the API: `/readyz`, `/healthz`, `/metrics`, `/pushes/<id>`, `/simulator/received`, to this machine and to tokens; and `/api` to administrators.',
    type: listenAddress,
    default: '127.0.0.1:8791',
  },
  adminHost: {
    doc: "Another host name of the admin side, such as a container's. The flag may be given again; the variable separates names by commas.",
    type: hostNames,
    default: null,
  },
  publicUrl: {
    doc: 'Where apps and backends reach the API, if not at the address it listens on: `https://push.example.com`. The dashboard shows it in commands, samples and links.',
    type: publicOrigin,
    default: null,
  },
  data: {
    doc: "The database's directory. Created if missing.",
    type: path,
    default: './bellhop-data',
  },
  apnsUrl: {
    doc: 'The origin of APNs, production.',
    type: httpsOrigin,
    default: 'https://api.push.apple.com',
  },
  apnsSandboxUrl: {
    doc: 'The origin of APNs, sandbox.',
    type: httpsOrigin,
    default: 'https://api.sandbox.push.apple.com',
  },
  fcmUrl: {
    doc: 'The origin of FCM.',
    type: httpsOrigin,
    default: 'https://fcm.googleapis.com',
  },
  fcmTokenUrl: {
    doc: 'Where access tokens for FCM are fetched: the whole address.',
    type: httpsUrl,
    default: 'https://oauth2.googleapis.com/token',
  },
  pushServices: {
    doc: 'An additional push service to allow, besides those of Chrome, Firefox, Safari and Edge: its origin, and a path if the server hosts anything else. The flag may be given again; the variable separates them by commas.',
    type: httpsPrefixes,
    default: null,
  },
  gatewayCa: {
    doc: "A PEM file of certificates to trust in addition to the system's, for private gateways, push services and webhooks.",
    type: path,
    default: null,
  },
  proxy: {
    doc: 'An HTTP proxy (CONNECT) for connections to the gateways: `http://user:password@host:port`. The built-in simulator is reached without it.',
    type: httpProxy,
    default: null,
    secret: true,
  },
  transport: {
    doc: 'The HTTP/2 client for the gateways: Bellhop’s own, which moves to http2-wrapper for a gateway that ends two connections within a minute with a protocol error; or always http2-wrapper, which is slower.',
    type: choice('h2', 'http2-wrapper'),
    default: 'h2',
  },
  key: {
    doc: 'The key that seals stored credentials: 32 bytes in base64 or hex. Without it, the systemd credential `bellhop-key`, else the file `key` in the data directory, made on first use.',
    type: sealingKey,
    default: null,
    secret: true,
  },
  logLevel: {
    doc: 'The lowest log level that is written.',
    type: choice('debug', 'info', 'warn', 'error'),
    default: 'info',
  },
  logFormat: {
    doc: 'Text for people or JSON for programs; auto is text on a terminal and JSON elsewhere.',
    type: choice('auto', 'text', 'json'),
    default: 'auto',
  },
  drainSeconds: {
    doc: 'How long a stop waits for calls and sends in flight, in seconds.',
    type: integer(0, 3600),
    default: '30',
  },
  maxInFlight: {
    doc: 'Requests in flight to the gateways, all together.',
    // The full windows of 65 credentials (MAX_SIZE in delivery/lane/congestion-window.ts): more is a slip.
    type: integer(1, 65_535),
    default: '4096',
  },
  ttlClock: {
    doc: 'The clock for times to live: `elapsed` counts the time the service runs, so setting the clock forward or suspending the machine ends no push; `wall` is the time of day.',
    type: choice('elapsed', 'wall'),
    default: 'elapsed',
  },
  docs: {
    doc: 'Whether the service describes itself to everybody, at `/docs`, `/openapi.json`, `/openapi-3.0.json`, `/manual` and `/llms.txt`.',
    type: choice('on', 'off'),
    default: 'on',
  },
  webhookPrivate: {
    doc: 'Webhooks may also use loopback, private and link-local addresses. The variable takes `on` or `off`.',
    type: onOff,
    default: 'off',
  },
  compat: {
    doc: 'Answers as clients of the original service expect. The variable takes `on` or `off`.',
    type: onOff,
    default: 'off',
  },
  headerPrefix: {
    doc: 'Also reads credentials from `X-NAME-APPID` and `X-NAME-SECRET`. The flag may be given again; the variable separates names by commas.',
    type: headerNames,
    default: null,
  },
  tlsCert: {
    doc: "A PEM file with the API's certificate and its chain, if there is no proxy in front. Read again when it changes.",
    type: path,
    default: null,
  },
  tlsKey: {
    doc: 'A PEM file with its private key.',
    type: path,
    default: null,
  },
  hstsDays: {
    doc: 'With a certificate: how many days browsers use only https for this host name (`Strict-Transport-Security`), on each of its ports. 0 ends that.',
    type: integer(0, 730),
    default: '180',
  },
  trustedProxies: {
    doc: 'Proxies whose `X-Forwarded-For` is trusted: addresses or networks. The flag may be given again; the variable separates them by commas.',
    type: networks,
    default: null,
  },
  backup: {
    doc: 'Where `serve` puts backups: a directory, or `s3://bucket/prefix`.',
    type: backupPlace,
    default: null,
  },
  backupEvery: {
    doc: 'The time between two backups: `30m`, `24h`, `7d`.',
    type: duration(MINUTE_MS),
    default: '24h',
  },
  backupKeep: {
    doc: 'How many backups to keep there; older ones are deleted.',
    type: integer(1, 10_000),
    default: '7',
  },
  backupVerify: {
    doc: 'Whether `serve` opens the newest backup once a day, checks all of it and counts its devices. One in a bucket is fetched for that.',
    type: choice('on', 'off'),
    default: 'on',
  },
  keepGone: {
    doc: 'How long unregistered and quarantined devices are kept before they are deleted: `30d`, `90d`.',
    type: duration(HOUR_MS),
    default: '90d',
  },
} as const

type Table = typeof TABLE

type ValueOf<One> = One extends { readonly type: SettingType<infer Value>; readonly default: infer Default }
  ? Value | (Default extends null ? null : never)
  : never

export type Config = { readonly [Name in keyof Table]: ValueOf<Table[Name]> }

export type SettingName = keyof Config

/** `adminListen` is `--admin-listen` and BELLHOP_ADMIN_LISTEN; a flag overrides the environment. */
export const SETTINGS: { readonly [Key in SettingName]: Setting<Config[Key]> } = TABLE

// Object.keys forgets the names.
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

/** `admin-listen`, without the dashes. */
export function flagOf(name: SettingName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** `BELLHOP_ADMIN_LISTEN` */
export function variableOf(name: SettingName): string {
  return `BELLHOP_${flagOf(name).replaceAll('-', '_').toUpperCase()}`
}

/** `--admin-listen (BELLHOP_ADMIN_LISTEN)`, as sentences name it. */
export function titleOf(name: SettingName): string {
  return `--${flagOf(name)} (${variableOf(name)})`
}
