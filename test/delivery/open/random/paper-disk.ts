import { LEASE_MS } from '../../../../src/delivery/open/batch.ts'
import type { EventOf } from '../../../../src/delivery/open/delivery-events.ts'
import type {
  DeliveryEnd,
  OpenDelivery,
  RecipientResult,
  Settlement,
} from '../../../../src/delivery/store/open-delivery.ts'
import { dueOf } from '../../../support/made-up-delivery.ts'
import { CREDENTIAL } from './circumstances.ts'
import { ensure } from './ensure.ts'

export type Fate = 'accepted' | 'failed'

/** The part of the database that a delivery writes. */
export class PaperDisk {
  #progress = 0
  #ahead: OpenDelivery['ahead'] = []
  #addressed: number | null = null
  #settled = 0
  #accepted = 0
  #failed = 0
  #isFinished = false
  readonly waiting = new Map<number, RecipientResult>()
  readonly fates = new Map<number, Fate>()

  get isFinished(): boolean {
    return this.#isFinished
  }

  /** The delivery as loaded. `waitsUntil`: set if it was put away. */
  record(of: OpenDelivery, waitsUntil: number | null): OpenDelivery {
    return {
      ...of,
      progress: this.#progress,
      ahead: this.#ahead,
      addressed: this.#addressed,
      settled: this.#settled,
      accepted: this.#accepted,
      retries: this.waiting.size,
      waitsUntil,
    }
  }

  commit(settlement: Settlement): void {
    const { progress, ahead, addressed, size, accepted, results, acceptedWith, dropped } = settlement
    ensure(progress >= this.#progress, () => `the progress goes back to ${progress}`)
    this.#progress = progress
    this.#ahead = ahead
    if (addressed !== null) this.#addressed = (this.#addressed ?? 0) + addressed
    this.#settled += size
    this.#accepted += accepted
    for (const device of dropped) ensure(this.waiting.delete(device), () => `${device} is dropped, and did not wait`)
    for (const device of acceptedWith.get(CREDENTIAL) ?? []) {
      ensure(!this.waiting.has(device), () => `${device} is accepted, and waits`)
      this.fates.set(device, 'accepted')
    }
    for (const row of results) {
      const { device, state } = row
      if (state === 'retry' || state === 'leased') this.waiting.set(device, { ...row })
      else {
        this.waiting.delete(device)
        this.#failed++
        this.fates.set(device, 'failed')
      }
    }
    const known = this.fates.size + this.waiting.size
    ensure(this.#settled === known, () => `${this.#settled} are settled, and ${known} are on disk`)
  }

  /** Every one of the `size` recipients is accounted for. */
  finish({ abortReason, unsent }: DeliveryEnd, size: number, isCounted: boolean): void {
    this.#isFinished = true
    const waited = this.waiting.size
    const sum = this.#accepted + this.#failed + waited + (unsent ?? 0)
    const all = `${this.#accepted} accepted, ${this.#failed} failed, ${waited} waited, ${unsent} unsent, of ${size}`
    // If not all were read, the rest is unknown.
    ensure(abortReason !== null && unsent === null ? sum <= size : sum === size, () => all)
    ensure(abortReason !== null || waited === 0, () => `it ends while ${waited} wait`)
    const isKnown = abortReason === null || isCounted
    ensure(!isKnown || (this.#addressed ?? 0) === size, () => `it addresses ${this.#addressed}, of ${size}`)
  }

  /** `null`: nobody waits. */
  nextDue(): number | null {
    let next: number | null = null
    for (const { state, dueAt } of this.waiting.values()) {
      if (state === 'retry') next = Math.min(next ?? dueAt, dueAt)
    }
    return next
  }

  takeDue(limit: number, now: number): Omit<EventOf<'due leased'>, 'kind'> {
    const isDue = ({ state, dueAt }: RecipientResult) => state === 'retry' && dueAt <= now
    const rows = [...this.waiting.values()].filter(isDue).slice(0, limit)
    for (const row of rows) this.waiting.set(row.device, { ...row, state: 'leased', dueAt: now + LEASE_MS })
    return { due: rows.map(({ device, attempt }) => dueOf(device, attempt)), next: this.nextDue() }
  }

  makeDue(now: number): void {
    for (const [device, row] of this.waiting) {
      if (row.state === 'retry') this.waiting.set(device, { ...row, dueAt: Math.min(row.dueAt, now) })
    }
  }

  endLeases(now: number): void {
    for (const [device, row] of this.waiting) {
      if (row.state === 'leased') this.waiting.set(device, { ...row, state: 'retry', dueAt: now })
    }
  }
}
