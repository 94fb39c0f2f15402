import type { ActiveDelivery } from '../active-delivery.ts'

/** Deliveries of one lane that may have somebody to send to now, each once: who is served goes behind the others. */
export class DeliveryQueue {
  readonly #queue: ActiveDelivery[] = []
  readonly #members = new Set<ActiveDelivery>()

  get first(): ActiveDelivery | undefined {
    return this.#queue[0]
  }

  add(delivery: ActiveDelivery): void {
    if (this.#members.has(delivery)) return
    this.#members.add(delivery)
    this.#queue.push(delivery)
  }

  removeFirst(): void {
    const first = this.#queue.shift()
    if (first !== undefined) this.#members.delete(first)
  }
}
