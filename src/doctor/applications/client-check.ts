import { LIBRARIES } from '../../client/libraries.ts'
import { counted } from '../../text/format.ts'
import type { ClientCount } from '../database/inspection-store.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** `web/1.2.0` */
const CLIENT = /^([a-z]+)\/(\d{1,4})\.(\d{1,3})\.\d/

const MAX_SHOWN = 5

/** Client libraries compared with this server's `release`. `null`: no device has reported one. */
export function judgeClients(id: string, counts: readonly ClientCount[], release: string): Finding | null {
  // A device can claim any client: only our own libraries may appear in a command to copy.
  const known = counts.flatMap((count) => {
    const [, kind = '', major, minor] = CLIENT.exec(count.client) ?? []
    return Object.hasOwn(LIBRARIES, kind) ? [{ ...count, kind, version: versionOf(major, minor) }] : []
  })
  if (known.length === 0) return null
  const shown = known.slice(0, MAX_SHOWN).map((one) => `${one.client} on ${counted(one.devices, 'device')}`)
  const more = known.length > MAX_SHOWN ? [`${known.length - MAX_SHOWN} more`] : []
  const found = `Client libraries: ${[...shown, ...more].join(', ')}.`
  const [major, minor] = release.split('.')
  const own = versionOf(major, minor)
  if (known.some(({ version }) => version > own)) return warning(found, `Upgrade this server: it is ${release}.`)
  const older = known.filter(({ version }) => version < own)
  if (older.length === 0) return ok(found)
  const kinds = [...new Set(older.map(({ kind }) => kind))]
  const devices = older.reduce((sum, one) => sum + one.devices, 0)
  const commands = kinds.map((kind) => `bellhop client ${kind} ${id} --url … --force`).join(', ')
  return warning(
    found,
    `${counted(devices, 'device')} ${devices === 1 ? 'has' : 'have'} one that is older than this server, ${release}. Renew it in the app: ${commands}.`,
  )
}

/** Patch versions are compatible. */
function versionOf(major = '0', minor = '0'): number {
  return Number(major) * 1000 + Number(minor)
}
