import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { choiceAmong } from '../notification/languages.ts'
import type { ChooseLanguage } from '../notification/languages.ts'
import type { Notification } from '../notification/notification.ts'

/** The languages of a stored push. */
export interface PushLanguages {
  /** The tags, as the push gives them. */
  readonly tags: readonly string[]
  readonly choose: ChooseLanguage
}

/** Pushes that are kept in mind: those of which apps tell by the thousand are a few at a time. */
const MAX_KNOWN = 1000

/**
 * Which languages pushes have. What a push says never changes, so each is read once; texts are not kept. `prepare` names
 * the connection, as for `progress-store.ts`.
 */
export function createPushLanguages(prepare: Database['statement']) {
  const find = prepare<{ notification: string }, [push: number]>('SELECT notification FROM push WHERE number = ?')
  const known = new Map<number, PushLanguages | null>()

  function read(push: number): PushLanguages | null {
    const row = find.get(push)
    const { languages } = row === null ? {} : (storedJson(row.notification) as Partial<Notification>)
    if (languages === undefined) return null
    const tags = Object.keys(languages)
    return { tags, choose: choiceAmong(tags) }
  }

  /** Of the push, `push.number`; `null`: it has one text, or there is no such push. */
  return (push: number): PushLanguages | null => {
    let found = known.get(push)
    if (found === undefined) {
      found = read(push)
      known.set(push, found)
      const [oldest] = known.keys()
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
    }
    return found
  }
}
