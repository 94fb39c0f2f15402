import type { TransportRequest } from '../../../src/gateway/transport/transport.ts'
import type { Dice } from '../../fuzz/dice.ts'

/** Headers sent to gateways, and some of the static table. */
const NAMES = [
  'authorization',
  'apns-topic',
  'apns-push-type',
  'apns-priority',
  'apns-expiration',
  'apns-collapse-id',
  'content-type',
  'content-encoding',
  'user-agent',
  'ttl',
  'topic',
  'urgency',
  'accept',
  'cache-control',
  'etag',
  'www-authenticate',
]
const OWN_NAMES = ['apns-id', 'apns-id', 'apns-id', 'x-own', 'expect-ct']

const VISIBLE = Array.from({ length: 0x7e - 0x20 }, (_, n) => String.fromCharCode(0x21 + n))
const BEYOND = Array.from({ length: 0x80 }, (_, n) => String.fromCharCode(0x80 + n))
const LOWER = Array.from('abcdefghijklmnopqrstuvwxyz0123456789-_')

/** Makes requests with shared headers, like those of one application. A set is sometimes replaced. */
export class RequestMaker {
  readonly #dice: Dice
  readonly #sets: TransportRequest['headers'][]

  constructor(dice: Dice) {
    this.#dice = dice
    this.#sets = Array.from({ length: dice.pick([1, 3, 12, 40]) }, () => this.#set())
  }

  next(): TransportRequest {
    const dice = this.#dice
    if (dice.happens(3)) this.#sets[dice.whole(0, this.#sets.length - 1)] = this.#set()
    const own = [dice.pick(OWN_NAMES), this.#value()] as const
    return {
      path: `/${text(dice, dice.pick([0, 20, 20, 70, 300]), VISIBLE)}`,
      headers: dice.pick(this.#sets),
      ...(dice.happens(80) && { own }),
      body: dice.happens(25) ? 'b'.repeat(dice.whole(1, 200)) : '',
    }
  }

  #set(): TransportRequest['headers'] {
    const dice = this.#dice
    const set: Record<string, string> = {}
    for (let n = dice.pick([0, 3, 6, 6, 15]); n > 0; n--) {
      const name = dice.happens(85) ? dice.pick(NAMES) : `z${text(dice, dice.whole(0, 140), LOWER)}`
      set[name] = this.#value()
    }
    return set
  }

  #value(): string {
    const dice = this.#dice
    // Often a repeated value.
    if (dice.happens(40)) return dice.pick(['alert', 'com.example.app', '10', '0', 'application/json', ''])
    const length = dice.happens(3) ? dice.whole(100, 3000) : dice.whole(0, dice.pick([8, 40, 140]))
    // No space or tab at either end (RFC 9113, 8.2.1).
    const inner = dice.happens(80) ? [...VISIBLE, ' '] : [...VISIBLE, ...BEYOND, ...BEYOND, ' ', '\t']
    return text(dice, length, inner).trim()
  }
}

function text(dice: Dice, length: number, letters: readonly string[]): string {
  let made = ''
  for (let n = 0; n < length; n++) made += dice.pick(letters)
  return made
}
