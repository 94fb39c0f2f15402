import type { ApnsDraft, FcmDraft, OptionInput, PushOption, WebPushDraft } from './option.ts'
import { actions } from './options/actions.ts'
import { apns } from './options/apns.ts'
import { category, channel, thread } from './options/app-names.ts'
import { badge } from './options/badge.ts'
import { collapse, priority, silent, ttl } from './options/delivery.ts'
import { fcm } from './options/fcm.ts'
import { interruption, mutable, relevance_score } from './options/ios-display.ts'
import { languages } from './options/languages.ts'
import { image, link } from './options/links.ts'
import { payload } from './options/payload.ts'
import { sound } from './options/sound.ts'
import { msg, subtitle, title } from './options/text.ts'

/**
 * In the order of the API's description, and of rendering: `payload` before what overrides its keys, `image` before
 * `mutable`, `sound` before `interruption`, `link` before `actions`, and the two raw ones last.
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

export const OPTION_LIST = Object.entries(OPTIONS) as unknown as readonly (readonly [OptionName, PushOption<unknown>])[]

export function optionsThat(holds: (option: PushOption<unknown>) => unknown): readonly OptionName[] {
  return OPTION_LIST.filter(([, option]) => holds(option)).map(([name]) => name)
}

/** Flags of `bellhop push`. */
export const OPTION_FLAGS = OPTION_LIST.flatMap(([option, { flag }]) =>
  flag === undefined ? [] : [{ ...flag, option, name: flag.name ?? option.replaceAll('_', '-') }],
)

export type NamedInput = OptionInput & { readonly name: OptionName; readonly isShown: boolean }

/** Fields of the dashboard's Send page. */
export function optionInputs(): readonly NamedInput[] {
  return OPTION_LIST.flatMap(([name, { input, isShown = false }]) =>
    input === undefined ? [] : { name, isShown, ...input },
  )
}

interface Drafts {
  readonly apns: ApnsDraft
  readonly fcm: FcmDraft
  readonly webPush: WebPushDraft
}

type Write = (value: unknown, draft: Record<string, Record<string, unknown> | undefined>) => void

interface Writer {
  readonly name: OptionName
  readonly write: Write
}

function writersFor(gateway: keyof Drafts): readonly Writer[] {
  return OPTION_LIST.flatMap(([name, { [gateway]: rendering }]) => {
    if (rendering === undefined) return []
    return { name, write: typeof rendering === 'string' ? writeAt(rendering) : (rendering as Write) }
  })
}

function writeAt(path: string): Write {
  const dot = path.lastIndexOf('.')
  const [place, key] = [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)]
  return (value, draft) => {
    const fields = draft[place]
    if (fields === undefined) throw new Error(`no request has a place ${path}`)
    fields[key] = value
  }
}

const WRITERS = { apns: writersFor('apns'), fcm: writersFor('fcm'), webPush: writersFor('webPush') }

/** Writes the options into `draft`, the request of a gateway. */
export function fill<Gateway extends keyof Drafts>(
  gateway: Gateway,
  notification: { readonly [Name in OptionName]?: OptionValues[Name] | null },
  draft: Drafts[Gateway],
): Drafts[Gateway] {
  for (const { name, write } of WRITERS[gateway]) {
    const value = notification[name]
    if (value !== undefined && value !== null && value !== '') write(value, draft)
  }
  return draft
}
