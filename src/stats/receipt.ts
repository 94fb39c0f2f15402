import { shortText } from '../device/device-fields.ts'

/** What an app reports about a push: a tap, its arrival, or a button below it. */
export const RECEIPT_EVENTS = ['opened', 'received', 'action'] as const

export type ReceiptEvent = (typeof RECEIPT_EVENTS)[number]

export const EVENT_CODES: Readonly<Record<ReceiptEvent, 0 | 1 | 2>> = { opened: 0, received: 1, action: 2 }

export interface Receipt {
  readonly event: ReceiptEvent
  /** Name of the button; `null` for other events. */
  readonly action: string | null
  /** UUID of the push; `null`: not said, or no UUID. */
  readonly push: string | null
  /** The device that reports; `null`: not said. */
  readonly token: string | null
}

/** What a device has reported about a push. */
export interface DeviceReceipt extends Pick<Receipt, 'event' | 'action'> {
  /** The first time, ms since the Unix epoch. */
  readonly at: number
}

export interface ReceiptCounts {
  readonly opened: number
  readonly received: number
  /** By name, most frequent first. */
  readonly actions: Readonly<Record<string, number>>
}

/** The name of a button: as a push gives it, and as the app reports that it was chosen. */
export const actionName = shortText(64)
