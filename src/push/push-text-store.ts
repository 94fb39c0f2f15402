import { storedJson } from '../database/damage.ts'
import type { Database } from '../database/database.ts'
import { choiceAmong } from '../notification/languages.ts'
import type { ChooseLanguage } from '../notification/languages.ts'
import type { Notification } from '../notification/notification.ts'

export interface PushLanguages {
  readonly tags: readonly string[]
  readonly choose: ChooseLanguage
}

/** Thousands of receipts mostly concern a few pushes. */
const MAX_KNOWN = 1000

interface PushTexts {
  readonly languages: PushLanguages | null
  readonly actions: readonly string[]
}

const NO_TEXTS: PushTexts = { languages: null, actions: [] }

/** Cached, since they never change. `prepare` chooses the connection, as for `progress-store.ts`. */
export function createPushTexts(prepare: Database['statement']) {
  const find = prepare<{ notification: string }, [push: number]>('SELECT notification FROM push WHERE number = ?')
  const known = new Map<number, PushTexts>()

  function read(push: number): PushTexts {
    const row = find.get(push)
    const { languages, actions } = row === null ? {} : (storedJson(row.notification) as Partial<Notification>)
    if (languages === undefined && actions === undefined) return NO_TEXTS
    const tags = languages && Object.keys(languages)
    return {
      languages: tags === undefined ? null : { tags, choose: choiceAmong(tags) },
      actions: actions?.map(({ action }) => action) ?? [],
    }
  }

  function textsOf(push: number): PushTexts {
    let found = known.get(push)
    if (found === undefined) {
      found = read(push)
      known.set(push, found)
      const [oldest] = known.keys()
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
    }
    return found
  }

  return {
    /** `null`: one text, or no such push. */
    languagesOf: (push: number): PushLanguages | null => textsOf(push).languages,
    actionsOf: (push: number): readonly string[] => textsOf(push).actions,
  }
}
