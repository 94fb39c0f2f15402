import { PLAIN, PLAIN_FACTS } from '../../device/columns.ts'
import { deviceRecordOf } from '../../device/device-record.ts'
import type { DeviceCount, FoundDevice } from '../../device/device-search-store.ts'
import type { DeviceState, Platform } from '../../device/device.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { ago, counted, grouped, isoTime, tokenPart } from '../../text/format.ts'
import { PLATFORM } from '../../platform.ts'
import type { Colour, Style } from '../terminal/style.ts'
import { listing, shortened } from '../terminal/table-text.ts'
import type { Column } from '../terminal/table-text.ts'

export interface Listing {
  readonly platforms: readonly Platform[]
  /** `null`: any. */
  readonly tags: readonly string[] | null
  /** `null`: registered. */
  readonly state: DeviceState | null
  /** `device.id` */
  readonly after: number
  readonly limit: number
}

export interface Listed {
  readonly devices: readonly FoundDevice[]
  readonly more: boolean
  /** `null`: not counted. */
  readonly total: number | null
}

interface View extends Listed {
  readonly query: Pick<Listing, 'state' | 'tags' | 'platforms'>
  readonly counts: readonly DeviceCount[]
  readonly next: string | null
  readonly full: boolean
  readonly now: number
}

const COLOURS: Readonly<Record<DeviceState, Colour>> = { registered: 'green', gone: 'red', quarantined: 'yellow' }

/** In columns. */
const MAX_ALIAS = 24
const MAX_TAGS = 40

export function devicesText(view: View, { paint, unicode, legible }: Style): string {
  const listed = PLAIN.filter(
    (name) => PLAIN_FACTS[name].heading !== undefined && view.devices.some((device) => device[name] !== null),
  )
  const columns: readonly Column<FoundDevice>[] = [
    ['TOKEN', ({ token }) => escapeControls(view.full ? token : legible(tokenPart(token)))],
    ['PLATFORM', ({ platform }) => PLATFORM[platform].name],
    ['ALIAS', ({ alias }) => shortened(escapeControls(alias ?? ''), MAX_ALIAS, unicode)],
    ['TAGS', ({ tag }) => shortened(tag.map(escapeControls).join(', '), MAX_TAGS, unicode)],
    ['BADGE', ({ badge }) => grouped(badge), 'right'],
    ...listed.map((name): Column<FoundDevice> => [
      PLAIN_FACTS[name].heading ?? '',
      (device) => escapeControls(device[name] ?? ''),
    ]),
    // Imported without a time.
    ['LAST SEEN', ({ seenAt }) => (seenAt === 0 ? 'never' : ago(seenAt, view.now))],
    ['STATE', ({ state }) => paint(COLOURS[state], state)],
  ]
  const table = view.devices.length === 0 ? [] : [...listing(view.devices, columns, paint), '']
  const next = view.next === null ? [] : [`Next page: --after ${escapeControls(view.next)}`]
  return [...table, summary(view), ...next, ''].join('\n')
}

/** The API's record, and what only operators see. */
export function deviceJson(device: FoundDevice): object {
  const { state, seenAt } = device
  return { ...deviceRecordOf(device), state, seen_at: seenAt === 0 ? null : isoTime(seenAt) }
}

function summary({ devices, total, counts, query }: View): string {
  const registered = counts.reduce((sum, one) => sum + one.registered, 0)
  const left = counts.reduce((sum, one) => sum + one.left, 0)
  const platforms = counts.map((one) => `${grouped(one.registered)} ${PLATFORM[one.platform].name}`).join(', ')
  const shown = `${grouped(devices.length)} shown`
  const tagged =
    total === null
      ? ''
      : `, of ${counted(total, 'device')} with ${query.tags?.length === 1 ? 'this tag' : 'one of these tags'}`
  return `${shown}${tagged}. Registered: ${grouped(registered)} (${platforms}); unregistered or quarantined: ${grouped(left)}.`
}
