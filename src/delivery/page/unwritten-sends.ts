import { PAGE_SIZE } from './audience-cursor.ts'

/**
 * Recipients that may have been sent to without that being on disk, which is what a crash sends to again: 16 pages.
 * Beyond it the delivery waits for its slowest page, or for the disk.
 */
const MAX_UNWRITTEN = 16 * PAGE_SIZE

/** Of them, kept for recipients whose next attempt is due: a broadcast must not hold them up. */
const KEPT_FOR_DUE = PAGE_SIZE

/** What of a delivery is settled and not on disk, and how much more may be sent because of it. */
export class UnwrittenSends {
  #pages = 0
  /** Devices that were answered alone: a row of theirs that says due is to be written over. */
  readonly #devices = new Set<number>()
  /** Notifications that the gateway took. */
  #taken = 0

  get taken(): number {
    return this.#taken
  }

  has(device: number): boolean {
    return this.#devices.has(device)
  }

  /** A page is settled; `taken`: notifications of it that the gateway took. */
  addPage(taken: number): void {
    this.#pages++
    this.#taken += taken
  }

  wrotePage(taken: number): void {
    this.#pages--
    this.#taken -= taken
  }

  /** A recipient is settled that is on no open page; `taken`: 1 where the gateway took the notification. */
  addDevice(device: number, taken: 0 | 1): void {
    this.#devices.add(device)
    this.#taken += taken
  }

  wroteDevice(device: number, taken: 0 | 1): void {
    this.#devices.delete(device)
    this.#taken -= taken
  }

  /** Whether one more page may be read; `leased`: recipients on their way that are on no open page. */
  hasRoomForPage(openPages: number, leased: number): boolean {
    const alone = leased + this.#devices.size
    return this.#inPages(openPages) + PAGE_SIZE + Math.max(alone, KEPT_FOR_DUE) <= MAX_UNWRITTEN
  }

  /** Recipients that may be leased because their next attempt is due. */
  roomForDue(openPages: number, leased: number): number {
    return Math.max(MAX_UNWRITTEN - this.#inPages(openPages) - leased - this.#devices.size, 0)
  }

  #inPages(openPages: number): number {
    return PAGE_SIZE * (openPages + this.#pages)
  }
}
