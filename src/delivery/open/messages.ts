import { inLanguage } from '../../notification/languages.ts'
import type { Message } from '../../notification/notification.ts'
import { OWN_TEXT } from '../../text/language-tag.ts'
import type { ServiceClock } from '../../time/service-clock.ts'
import type { OpenDelivery } from '../store/open-delivery.ts'

/** What a delivery sends: a message for each language, made again when somebody sets the time of day. */
export class DeliveryMessages {
  /** End of the time to live, ms of service time. */
  readonly expiresAt: number
  readonly #clock: Pick<ServiceClock, 'wallAt'>
  #own: Message
  /** By language of the notification. */
  readonly #others = new Map<string, Message>()

  constructor({ pushId, notification, expiresAt }: OpenDelivery, clock: Pick<ServiceClock, 'wallAt'>) {
    this.expiresAt = expiresAt
    this.#clock = clock
    this.#own = { push: pushId, notification, expiresAt: clock.wallAt(expiresAt) }
  }

  /** In a language, as in `PageRow`. The same object each time, so it is rendered once, until the clock changes. */
  in(language: string | null): Message {
    const expiresAt = this.#clock.wallAt(this.expiresAt)
    if (expiresAt !== this.#own.expiresAt) {
      this.#own = { ...this.#own, expiresAt }
      this.#others.clear()
    }
    if (language === null || language === OWN_TEXT) return this.#own
    let message = this.#others.get(language)
    if (message === undefined) {
      message = { ...this.#own, notification: inLanguage(this.#own.notification, language) }
      this.#others.set(language, message)
    }
    return message
  }
}
