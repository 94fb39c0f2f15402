import { counted } from '../../text/format.ts'
import type { ClientCount } from '../database/inspection-store.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** `web/1.2.0` */
const CLIENT = /^([a-z-]+)\/(\d+)\.(\d+)\.(\d+)/

/** The client libraries of an application's devices beside `release` of this program; `null`: none is known. */
export function judgeClients(id: string, counts: readonly ClientCount[], release: string): Finding | null {
  if (counts.length === 0) return null
  const shown = counts.map(({ client, devices }) => `${client} on ${counted(devices, 'device')}`)
  const found = `Client libraries: ${shown.join(', ')}.`
  const [own = 0] = versionOf(release)
  const newer = counts.filter(({ client }) => (versionOf(client)[0] ?? own) > own)
  if (newer.length > 0) return warning(found, `Upgrade this server: it is ${release}.`)
  const older = counts.filter(({ client }) => (versionOf(client)[0] ?? own) < own)
  if (older.length === 0) return ok(found)
  const kinds = [...new Set(older.map(({ client }) => CLIENT.exec(client)?.[1] ?? client))]
  const devices = older.reduce((sum, one) => sum + one.devices, 0)
  const commands = kinds.map((kind) => `bellhop client ${kind} ${id} --url … --force`).join(', ')
  return warning(
    found,
    `${counted(devices, 'device')} ${devices === 1 ? 'has' : 'have'} one that is older than this server, ${release}. Renew it in the app: ${commands}.`,
  )
}

/** By which libraries are compared: a patch changes nothing for them. `[]`: no version. */
function versionOf(text: string): readonly [number] | readonly [] {
  const [, major = '', minor = ''] = /(\d+)\.(\d+)\.\d+/.exec(text) ?? []
  return major === '' ? [] : [Number(major) * 1000 + Number(minor)]
}
