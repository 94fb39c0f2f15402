import { invalid, optional } from '../http/fields.ts'
import type { Member } from '../http/fields.ts'
import { inLanguage } from './languages.ts'
import type { Notification } from './notification.ts'
import { OPTION_LIST, optionsThat } from './options.ts'
import type { OptionName, OptionValues } from './options.ts'
import type { LanguageText } from './options/languages.ts'

type Content = { readonly [Name in OptionName]: OptionValues[Name] | null }

export const contentFields = Object.fromEntries(
  OPTION_LIST.map(([name, { field }]) => [name, optional(field)]),
) as unknown as { readonly [Name in OptionName]: Member<Content[Name], false> }

export function notificationOf(input: Partial<Content>): Notification {
  const given = OPTION_LIST.map(([name]) => [name, input[name] ?? null] as const).filter(([, value]) => value !== null)
  return { msg: null, sound: null, badge: null, payload: null, ...(Object.fromEntries(given) as Partial<Notification>) }
}

const ENOUGH = optionsThat(({ isEnough }) => isEnough)

export function isNothing(notification: Notification): boolean {
  return ENOUGH.every((name) => (notification[name] ?? null) === null)
}

/** Throws `Refused` for options that a gateway would refuse together, or a phone not show. */
export function checkContent(notification: Notification): void {
  const { sound, interruption, apns, languages = {} } = notification
  if (notification.silent === true) checkSilent(notification)
  checkText(notification, (name) => name)
  for (const [language, text] of Object.entries(languages)) {
    checkText(inLanguage(notification, language), (name) =>
      text[name as keyof LanguageText] === undefined ? name : `languages.${language}.${name}`,
    )
  }
  if (interruption === 'critical' && sound === null && !apns?.aps?.['sound']) {
    throw invalid('interruption', 'must not be "critical" without a sound; "default" is one')
  }
}

/** Whether phones show it. */
export function hasText({ msg, title, apns, fcm }: Notification): boolean {
  return msg !== null || title !== undefined || Boolean(apns?.aps?.['alert']) || fcm?.notification !== undefined
}

const NEEDS_TEXT = optionsThat(({ needsText }) => needsText)
const BESIDE_PAYLOAD = optionsThat(({ isBesidePayload }) => isBesidePayload)

/** `nameIn`: an option's name in the body. */
function checkText(notification: Notification, nameIn: (name: OptionName) => string): void {
  const { payload } = notification
  const needy = NEEDS_TEXT.find((name) => !hasText(notification) && notification[name] !== undefined)
  if (needy !== undefined) throw invalid(nameIn(needy), 'needs msg or title beside it')
  for (const name of BESIDE_PAYLOAD) {
    if (notification[name] !== undefined && payload !== null && Object.hasOwn(payload, name)) {
      throw invalid(`payload.${name}`, `can't be combined with ${nameIn(name)}, which is sent under that name`)
    }
  }
}

const SHOWN = optionsThat(({ isShown }) => isShown)

/** Apple, "Pushing background updates to your App": nothing but content-available in aps, at priority 5. */
function checkSilent(notification: Notification): void {
  const { priority, apns, fcm } = notification
  const shown: string[] = SHOWN.filter((name) => (notification[name] ?? false) !== false)
  for (const key of ['alert', 'sound'] as const) if (apns?.aps?.[key]) shown.push(`apns.aps.${key}`)
  if (fcm?.notification !== undefined) shown.push('fcm.notification')
  if (fcm?.android?.notification !== undefined) shown.push('fcm.android.notification')
  const [first] = shown
  if (first !== undefined) throw invalid(first, "can't be combined with silent, which shows nothing")
  if (priority === 'high') {
    throw invalid('priority', 'must not be "high" with silent: Apple takes what shows nothing at normal priority only')
  }
}

const MAY_BE_LONG = optionsThat(({ mayBeLong }) => mayBeLong)

/** For an error: the options that count towards the size in a language; `null`: the own text. */
export function sizedFields(notification: Notification, language: string | null): string {
  const text: LanguageText = (language === null ? null : notification.languages?.[language]) ?? {}
  const more = MAY_BE_LONG.filter((name) => notification[name] !== undefined || Object.hasOwn(text, name))
  const fields = ['msg', 'sound', 'payload', ...more]
  const names = fields.map((name) => (Object.hasOwn(text, name) ? `languages.${language}.${name}` : name))
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
