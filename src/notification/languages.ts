import { lookUpTag } from '../text/language-tag.ts'
import type { Notification } from './notification.ts'

/** The notification as those get it who are sent to in a language of it; `null`: its own text. */
export function inLanguage(notification: Notification, language: string | null): Notification {
  const text = language === null ? undefined : notification.languages?.[language]
  return text === undefined ? notification : { ...notification, ...text }
}

/** The languages of a notification, with its own text, `null`, first. */
export function languagesOf({ languages = {} }: Notification): readonly (string | null)[] {
  return [null, ...Object.keys(languages)]
}

/** Which language of a notification a device gets, by its locale; `null`: the notification's own text. */
export type ChooseLanguage = (locale: string | null) => string | null

/** `null`: there is nothing to choose, and no locale needs to be known. */
export function languageChoice({ languages }: Notification): ChooseLanguage | null {
  return languages === undefined ? null : choiceAmong(Object.keys(languages))
}

/** The same by the tags alone. */
export function choiceAmong(tags: Iterable<string>): ChooseLanguage {
  const known = new Set(tags)
  return (locale) => (locale === null ? null : lookUpTag(locale, known))
}
