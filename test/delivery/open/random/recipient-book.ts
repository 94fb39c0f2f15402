import type { Settlement } from '../../../../src/delivery/store/open-delivery.ts'
import type { Phase } from '../../../../src/delivery/open/state.ts'
import { CREDENTIAL } from './circumstances.ts'
import { ensure } from './ensure.ts'
import { firstBehind } from './made-up-audience.ts'
import type { Fate, PaperDisk } from './paper-disk.ts'

/** Recipients of a push that may be sent to before that is on disk (the manual, "Guarantees"). */
const MAX_UNWRITTEN = 16 * 500

/**
 * Where a recipient is that was sent to in this run, or waits: in flight; to be sent again, before or after a stored
 * attempt; answered, but not in a settlement; in a settlement, to be retried.
 */
type Place = 'sent' | 'put back' | 'due' | `answered, ${'retry' | Fate}` | 'waits'

/** What happened to each recipient in one run of the process. Contradictions throw. */
export class RecipientBook {
  readonly #devices: readonly number[]
  readonly #inAudience: Set<number>
  readonly #places: Map<number, Place>
  readonly #fates: Map<number, Fate>
  readonly #reported: Set<number>
  readonly #unwritten = new Set<number>()
  /** Devices that the progress has passed. */
  #passed = 0
  /** Ranges ahead of the progress in which everybody was reported. */
  readonly #checked = new Set<string>()
  #accepted = 0
  mostUnwritten = 0
  stragglers = 0

  constructor(devices: readonly number[], disk: PaperDisk) {
    this.#devices = devices
    this.#inAudience = new Set(devices)
    this.#places = new Map(Array.from(disk.waiting.keys(), (device) => [device, 'waits']))
    this.#fates = new Map(disk.fates)
    this.#reported = new Set([...disk.fates.keys(), ...disk.waiting.keys()])
  }

  /** Accepted recipients in no settlement. */
  get accepted(): number {
    return this.#accepted
  }

  taken(device: number): void {
    const place = this.#places.get(device)
    ensure(this.#inAudience.has(device), () => `${device} is not in the audience`)
    ensure(!this.#fates.has(device), () => `${device} is sent to, and was settled before`)
    const isFirst = place === undefined && !this.#reported.has(device)
    ensure(isFirst || place === 'put back' || place === 'due', () => `${device} is sent to, and is ${place}`)
    this.#places.set(device, 'sent')
    this.#unwritten.add(device)
    this.mostUnwritten = Math.max(this.mostUnwritten, this.#unwritten.size)
    ensure(this.#unwritten.size <= MAX_UNWRITTEN, () => `${this.#unwritten.size} are not on disk`)
  }

  putBack(device: number): void {
    this.#places.set(device, 'put back')
  }

  due(device: number): void {
    this.#places.set(device, 'due')
  }

  answered(device: number, fate: 'retry' | Fate): void {
    this.#places.set(device, `answered, ${fate}`)
    if (fate === 'accepted') this.#accepted++
  }

  /** The settlement must say what happened. `phase`: of the delivery. */
  issued({ progress, ahead, results, accepted, acceptedWith, dropped }: Settlement, phase: Phase): void {
    const devices = acceptedWith.get(CREDENTIAL) ?? []
    ensure(devices.length === accepted, () => `${accepted} are said to be accepted, and ${devices.length} were`)
    for (const device of devices) this.#settled(device, 'accepted', phase)
    this.#accepted -= accepted
    for (const device of dropped) ensure(this.#fates.get(device) === 'accepted', () => `${device} is dropped`)
    for (const { device, state } of results) {
      if (state === 'leased') this.#leased(device)
      else if (state === 'retry') this.#waits(device, phase)
      else this.#settled(device, 'failed', phase)
    }
    for (; (this.#devices[this.#passed] ?? Number.POSITIVE_INFINITY) <= progress; this.#passed++) {
      const device = this.#devices[this.#passed] ?? 0
      ensure(this.#reported.has(device), () => `the progress passes ${device}`)
    }
    for (const [from, to] of ahead) this.#checkAhead(from, to)
  }

  written({ acceptedWith, results }: Settlement): void {
    for (const device of acceptedWith.get(CREDENTIAL) ?? []) this.#unwritten.delete(device)
    // For a leased recipient the end of the process loses the answer.
    for (const { device, state } of results) if (state !== 'leased') this.#unwritten.delete(device)
  }

  #settled(device: number, fate: Fate, phase: Phase): void {
    const place = this.#places.get(device)
    ensure(!this.#fates.has(device), () => `${device} is settled twice`)
    // Held-back recipients fail with the delivery.
    const failsWithIt = fate === 'failed' && phase !== 'open' && (place === 'put back' || place === 'answered, retry')
    ensure(place === `answered, ${fate}` || failsWithIt, () => `${device} is ${fate}, and was ${place}`)
    this.#fates.set(device, fate)
    this.#reported.add(device)
    this.#places.delete(device)
  }

  #waits(device: number, phase: Phase): void {
    const place = this.#places.get(device)
    ensure(!this.#fates.has(device), () => `${device} waits, and is settled`)
    // Not sent to because of a pause or a stop.
    const isHeldBack = phase === 'open' && (place === 'put back' || place === 'due')
    ensure(place === 'answered, retry' || isHeldBack, () => `${device} waits, and was ${place}`)
    this.#places.set(device, 'waits')
    this.#reported.add(device)
  }

  #leased(device: number): void {
    const place = this.#places.get(device)
    ensure(place === 'sent', () => `${device} is leased, and was ${place}`)
    this.#reported.add(device)
    this.stragglers++
  }

  #checkAhead(from: number, to: number): void {
    const range = `${from}-${to}`
    if (this.#checked.has(range)) return
    this.#checked.add(range)
    const devices = this.#devices
    for (let at = firstBehind(devices, from - 1); (devices[at] ?? Number.POSITIVE_INFINITY) <= to; at++) {
      const device = devices[at] ?? 0
      ensure(this.#reported.has(device), () => `${device} is ahead of the progress, and not settled`)
    }
  }
}
