import type { ApnsDraft, FcmDraft, PushOption, WebPushDraft } from './option.ts'
import { actions } from './options/actions.ts'
import { apns } from './options/apns.ts'
import { category, channel, thread } from './options/app-names.ts'
import { badge } from './options/badge.ts'
import { collapse } from './options/collapse.ts'
import { priority, silent, ttl } from './options/delivery.ts'
import { fcm } from './options/fcm.ts'
import { interruption, mutable } from './options/ios-display.ts'
import { languages } from './options/languages.ts'
import { image, link } from './options/links.ts'
import { payload } from './options/payload.ts'
import { relevance_score } from './options/relevance.ts'
import { sound } from './options/sound.ts'
import { msg, subtitle, title } from './options/text.ts'

/**
 * The content of a push, in the order of the API's description. Rendering goes by it too: `payload` stands before what
 * overrides its keys, `image` before `mutable`, `sound` before `interruption`, `link` before `actions`, and the two raw
 * ones last.
 */
export const OPTIONS = {
  msg,
  sound,
  badge,
  payload,
  title,
  subtitle,
  image,
  category,
  thread,
  collapse,
  ttl,
  priority,
  silent,
  mutable,
  interruption,
  relevance_score,
  channel,
  link,
  actions,
  languages,
  apns,
  fcm,
}

export type OptionName = keyof typeof OPTIONS

export type OptionValues = {
  readonly [Name in OptionName]: (typeof OPTIONS)[Name] extends PushOption<infer Value> ? Value : never
}

/** Every option by name, in order. */
export const OPTION_LIST = Object.entries(OPTIONS) as unknown as readonly (readonly [OptionName, PushOption<unknown>])[]

/** Names of the options of which this holds. */
export function optionsThat(holds: (option: PushOption<unknown>) => unknown): readonly OptionName[] {
  return OPTION_LIST.filter(([, option]) => holds(option)).map(([name]) => name)
}

/** The flags of `bellhop push` that set an option. */
export const OPTION_FLAGS = OPTION_LIST.flatMap(([option, { flag }]) =>
  flag === undefined ? [] : [{ ...flag, option, name: flag.name ?? option.replaceAll('_', '-') }],
)

/** The fields of the dashboard's Send page that set an option. */
export const OPTION_INPUTS = OPTION_LIST.flatMap(([name, { input, isShown = false }]) =>
  input === undefined ? [] : [{ name, isShown, ...input }],
)

interface Drafts {
  readonly apns: ApnsDraft
  readonly fcm: FcmDraft
  readonly webPush: WebPushDraft
}

type Write = (value: unknown, draft: Record<string, Record<string, unknown> | undefined>) => void

/** What writes an option of this name, for each gateway. */
function writersFor(gateway: keyof Drafts): readonly (readonly [OptionName, Write])[] {
  return OPTION_LIST.flatMap(([name, { [gateway]: rendering }]) => {
    if (rendering === undefined) return []
    return [[name, typeof rendering === 'string' ? writerAt(rendering) : (rendering as Write)] as const]
  })
}

function writerAt(path: string): Write {
  const dot = path.lastIndexOf('.')
  const [place, key] = [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)]
  return (value, draft) => {
    const fields = draft[place]
    if (fields === undefined) throw new Error(`no request has a place ${path}`)
    fields[key] = value
  }
}

const WRITERS = { apns: writersFor('apns'), fcm: writersFor('fcm'), webPush: writersFor('webPush') }

/** Writes the options of a notification into `draft`, the request of a gateway. */
export function fill<Gateway extends keyof Drafts>(
  gateway: Gateway,
  notification: { readonly [Name in OptionName]?: OptionValues[Name] | null },
  draft: Drafts[Gateway],
): Drafts[Gateway] {
  for (const [name, write] of WRITERS[gateway]) {
    const value = notification[name]
    if (value !== undefined && value !== null && value !== '') write(value, draft)
  }
  return draft
}
