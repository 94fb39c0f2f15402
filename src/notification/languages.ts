import { lookUpTag } from '../text/language-tag.ts'
import type { Notification } from './notification.ts'

/** `null`: its own text. */
export function inLanguage(notification: Notification, language: string | null): Notification {
  const text = language === null ? undefined : notification.languages?.[language]
  return text === undefined ? notification : { ...notification, ...text }
}

/** Its own text, `null`, comes first. */
export function languagesOf({ languages = {} }: Notification): readonly (string | null)[] {
  return [null, ...Object.keys(languages)]
}

/** By a device's locale; `null`: the own text. */
export type ChooseLanguage = (locale: string | null) => string | null

/** `null`: only one text. */
export function languageChoice({ languages }: Notification): ChooseLanguage | null {
  return languages === undefined ? null : choiceAmong(Object.keys(languages))
}

export function choiceAmong(tags: Iterable<string>): ChooseLanguage {
  const known = new Set(tags)
  return (locale) => (locale === null ? null : lookUpTag(locale, known))
}
