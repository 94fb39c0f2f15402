import { inLanguage } from '../notification/languages.ts'
import type { Message } from '../notification/notification.ts'
import { OWN_TEXT } from '../text/language-tag.ts'
import type { OpenDelivery } from './store/open-delivery.ts'

/** What one delivery sends: for each language of its notification one message, until its end changes. */
export class DeliveryMessages {
  #own: Message
  /** By language of the notification. */
  readonly #others = new Map<string, Message>()

  constructor({ pushId, notification, expiresAt }: OpenDelivery) {
    this.#own = { push: pushId, notification, expiresAt }
  }

  /** When the time to live is over, ms since the Unix epoch. */
  get expiresAt(): number {
    return this.#own.expiresAt
  }

  /** The time to live ends `byMs` later. */
  extend(byMs: number): void {
    this.#own = { ...this.#own, expiresAt: this.#own.expiresAt + byMs }
    this.#others.clear()
  }

  /**
   * For those who get this language, as in `PageRow`. The same object each time, by which it is rendered once; another
   * one from a change of its end on.
   */
  in(language: string | null): Message {
    if (language === null || language === OWN_TEXT) return this.#own
    let message = this.#others.get(language)
    if (message === undefined) {
      message = { ...this.#own, notification: inLanguage(this.#own.notification, language) }
      this.#others.set(language, message)
    }
    return message
  }
}
