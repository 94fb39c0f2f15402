import { invalid, optional } from '../http/fields.ts'
import type { Field } from '../http/fields.ts'
import { actions } from './actions-field.ts'
import {
  badge,
  category,
  channel,
  collapse,
  image,
  interruption,
  link,
  msg,
  mutable,
  priority,
  silent,
  sound,
  subtitle,
  thread,
  title,
  ttl,
} from './content-fields.ts'
import { apns, fcm, payload } from './gateway-override-fields.ts'
import { inLanguage } from './languages.ts'
import { languages } from './languages-field.ts'
import type { Action, Languages, LanguageText, Notification, RawApns, RawFcm } from './notification.ts'

/** The fields of what is shown, in the body of every push. */
export const contentFields = {
  msg: optional(msg),
  sound: optional(sound),
  badge: optional(badge),
  payload: optional(payload),
  title: optional(example(title, 'On its way')),
  subtitle: optional(example(subtitle, 'Order 17')),
  image: optional(image),
  category: optional(example(category, 'ORDER')),
  thread: optional(example(thread, 'orders')),
  collapse: optional(example(collapse, 'order-17')),
  ttl: optional(example(ttl, 14400)),
  priority: optional(example(priority, 'normal')),
  silent: optional(silent),
  mutable: optional(example(mutable, true)),
  interruption: optional(example(interruption, 'time-sensitive')),
  channel: optional(example(channel, 'orders')),
  link: optional(example(link, 'shop:orders/17')),
  actions: optional(example(actions, [{ action: 'track', title: 'Track it', link: 'https://shop.example/track/17' }])),
  languages: optional(example(languages, { de: { msg: 'Hallo' }, 'pt-BR': { msg: 'Olá' } })),
  apns: optional(example(apns, { aps: { 'relevance-score': 0.5 } })),
  fcm: optional(example(fcm, { android: { notification: { color: '#0b6e4f' } } })),
}

function example<T>(field: Field<T>, value: unknown): Field<T> {
  return { ...field, schema: { ...field.schema, example: value } }
}

/** Fields that a notification has only where they say something; so what is stored stays small. */
const EXTRAS = [
  'title',
  'subtitle',
  'image',
  'category',
  'thread',
  'collapse',
  'ttl',
  'priority',
  'silent',
  'mutable',
  'interruption',
  'channel',
  'link',
  'actions',
  'languages',
  'apns',
  'fcm',
] as const

type Extra = (typeof EXTRAS)[number]

/** What was read of a body; lists and objects are `null` where there is nothing in them. */
type Content = Omit<Partial<Notification>, 'actions' | 'languages' | 'apns' | 'fcm'> & {
  readonly actions?: readonly Action[] | null
  readonly languages?: Languages | null
  readonly apns?: RawApns | null
  readonly fcm?: RawFcm | null
}

export function notificationOf({ silent, ...input }: Content): Notification {
  const said = { ...input, ...(silent === true && { silent }) }
  const extras = EXTRAS.filter((name) => said[name] !== undefined && said[name] !== null)
  return {
    msg: input.msg ?? null,
    sound: input.sound || null,
    badge: input.badge ?? null,
    payload: input.payload ?? null,
    ...(Object.fromEntries(extras.map((name) => [name, said[name]])) as Pick<Notification, Extra>),
  }
}

/** Whether there is nothing to send: neither to show, nor to hand to the app. */
export function isNothing({ msg, sound, badge, payload, title, link, silent, apns, fcm }: Notification): boolean {
  const said = [msg, sound, badge, payload, title, link, apns, fcm]
  return silent !== true && said.every((one) => one === null || one === undefined)
}

/** Throws `Refused` for fields that do not go together: a gateway would refuse them, or a phone show nothing. */
export function checkContent(notification: Notification): void {
  const { sound, interruption, apns, languages = {} } = notification
  if (notification.silent === true) checkSilent(notification)
  checkText(notification, (field) => field)
  for (const [language, text] of Object.entries(languages)) {
    const nameOf = (field: keyof LanguageText) => (text[field] === undefined ? field : `languages.${language}.${field}`)
    checkText(inLanguage(notification, language), nameOf)
  }
  if (interruption === 'critical' && sound === null && !apns?.aps?.['sound']) {
    throw invalid('interruption', 'must not be "critical" without a sound; "default" is one')
  }
}

/** `nameOf`: what a field is called in the body. */
function checkText(
  { msg, title, subtitle, image, link, actions, payload, apns, fcm }: Notification,
  nameOf: (field: keyof LanguageText) => string,
): void {
  const hasText =
    msg !== null || title !== undefined || Boolean(apns?.aps?.['alert']) || fcm?.notification !== undefined
  if (!hasText) {
    if (subtitle !== undefined) throw invalid(nameOf('subtitle'), 'needs msg or title beside it')
    if (image !== undefined) throw invalid(nameOf('image'), 'needs msg or title beside it')
    if (actions !== undefined) throw invalid('actions', 'needs msg or title beside it')
  }
  // Beside aps, and in data, both would have the same name.
  for (const [name, value] of [
    ['image', image],
    ['link', link],
  ] as const) {
    if (value !== undefined && payload !== null && Object.hasOwn(payload, name)) {
      throw invalid(`payload.${name}`, `must not be given beside ${nameOf(name)}, which is sent under that name`)
    }
  }
}

/** Apple, "Pushing background updates to your App": nothing but content-available in aps, at priority 5. */
function checkSilent(notification: Notification): void {
  const { priority, apns, fcm } = notification
  const shown: string[] = SHOWN.filter((name) => notification[name])
  for (const key of ['alert', 'sound'] as const) if (apns?.aps?.[key]) shown.push(`apns.aps.${key}`)
  if (fcm?.notification !== undefined) shown.push('fcm.notification')
  if (fcm?.android?.notification !== undefined) shown.push('fcm.android.notification')
  const [first] = shown
  if (first !== undefined) throw invalid(first, 'must not be given with silent, which shows nothing')
  if (priority === 'high') {
    throw invalid('priority', 'must not be "high" with silent: Apple takes what shows nothing at normal priority only')
  }
}

const SHOWN = [
  'msg',
  'title',
  'subtitle',
  'languages',
  'sound',
  'badge',
  'image',
  'mutable',
  'interruption',
  'channel',
  'actions',
] as const
