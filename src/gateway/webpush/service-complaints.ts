import type { Outcome } from '../gateway.ts'

/**
 * Devices of a push service that are put off one after the other, with none taken meanwhile, for which the push service is
 * waited for. One device may be put off for reasons of its own: Mozilla answers 503 with Retry-After where its database
 * timed out for one subscription.
 */
const ENOUGH_DEVICES = 5

/** Push services remembered at the most. */
const MAX_SERVICES = 1000

/**
 * Finds out whether a word that may be of one device or of its whole push service (`scope: 'either'`) is of which.
 *
 * unknown → (`ENOUGH_DEVICES` were told so) → of the push service, as each such word after that → (one is taken, or
 * gone) → unknown.
 */
export class ServiceComplaints {
  /** By push service: `device.id` of those that were put off since it took one, as many as are enough. */
  readonly #devices = new Map<string, Set<number>>()

  /** The outcome for a device of `service`, with the scope that it has. */
  judge(service: string, device: number, outcome: Outcome): Outcome {
    if (outcome.kind === 'accepted' || outcome.kind === 'unregistered') {
      if (this.#devices.size > 0) this.#devices.delete(service)
      return outcome
    }
    if (outcome.kind !== 'deferred' || outcome.scope !== 'either') return outcome
    return { ...outcome, scope: this.#isOfService(service, device) ? 'service' : 'device' }
  }

  #isOfService(service: string, device: number): boolean {
    const devices = this.#devices.get(service) ?? new Set()
    if (devices.size < ENOUGH_DEVICES) devices.add(device)
    // The one that was heard of last is forgotten last.
    this.#devices.delete(service)
    this.#devices.set(service, devices)
    for (const oldest of this.#devices.keys()) {
      if (this.#devices.size <= MAX_SERVICES) break
      this.#devices.delete(oldest)
    }
    return devices.size >= ENOUGH_DEVICES
  }
}
