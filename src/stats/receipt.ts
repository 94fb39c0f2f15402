import { shortText } from '../device/device-fields.ts'

/** A tap, an arrival, or a button. */
export const RECEIPT_EVENTS = ['opened', 'received', 'action'] as const

export type ReceiptEvent = (typeof RECEIPT_EVENTS)[number]

export const EVENT_CODES: Readonly<Record<ReceiptEvent, 0 | 1 | 2>> = { opened: 0, received: 1, action: 2 }

export interface Receipt {
  readonly event: ReceiptEvent
  /** `null` for other events. */
  readonly action: string | null
  /** `null`: no UUID given. */
  readonly push: string | null
  /** The device that reports. */
  readonly token: string | null
}

export interface DeviceReceipt extends Pick<Receipt, 'event' | 'action'> {
  /** The first time. */
  readonly at: number
}

export interface ReceiptCounts {
  readonly opened: number
  readonly received: number
  /** By name, most frequent first. */
  readonly actions: Readonly<Record<string, number>>
}

export const actionName = shortText(64)
