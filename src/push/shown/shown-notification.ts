import { DAY_MS } from '../../clock.ts'
import type { Notification } from '../../notification/notification.ts'

export interface NewText {
  readonly title: string | null
  readonly msg: string | null
}

const DAY_SECONDS = DAY_MS / 1000

const EMPTY: Notification = { msg: null, sound: null, badge: null, payload: null }

/** Kept for as long as the push may still arrive. */
export function withdrawing({ collapse, ttl = 0 }: Notification, id: string): Notification {
  return { ...EMPTY, ttl: Math.max(ttl, DAY_SECONDS), withdraws: { withdrawn: id, tag: collapse ?? id } }
}

/** Without a sound, and without overrides that have another text. */
export function withText(shown: Notification, id: string, { title, msg }: NewText): Notification {
  const { title: _, subtitle: __, languages: ___, apns: ____, fcm: _____, ...kept } = shown
  const text = { msg, ...(title !== null && { title }) }
  return { ...kept, ...text, sound: null, badge: null, collapse: shown.collapse ?? id, interruption: 'passive' }
}
