import type { ReceiptCounts } from '../../stats/receipt.ts'
import { OWN_TEXT } from '../../text/language-tag.ts'
import { receiptsOf } from './status-answer.ts'

/** By tag, or `OWN_TEXT`. */
export interface LanguageFacts {
  readonly tags: readonly string[]
  readonly accepted: ReadonlyMap<string, number>
  readonly failed: ReadonlyMap<string, number>
  /** `''`: reports that name no device. */
  readonly receipts: ReadonlyMap<string, ReceiptCounts>
}

interface Totals {
  readonly s: number
  readonly failed: number
}

const NOTHING: ReceiptCounts = { opened: 0, received: 0, actions: {} }

/**
 * The own text first. Reports without a device, and failures of devices that were never sent to, are apart, so that all
 * add up to the push's.
 */
export function languageStatusOf({ tags, accepted, failed, receipts }: LanguageFacts, totals: Totals) {
  const languages = [OWN_TEXT, ...tags].map((text) => {
    const said = receipts.get(text) ?? NOTHING
    const s = accepted.get(text) ?? 0
    const { opened_rate, received_rate, actions } = receiptsOf(said, s)
    return {
      language: text === OWN_TEXT ? null : text,
      s,
      failed: failed.get(text) ?? 0,
      o: said.opened,
      received: said.received,
      opened_rate,
      received_rate,
      actions,
    }
  })
  const known = (count: (one: (typeof languages)[number]) => number) =>
    languages.reduce((sum, one) => sum + count(one), 0)
  const { opened: o, received, actions } = receipts.get('') ?? NOTHING
  return {
    languages,
    language_unknown: {
      s: totals.s - known((one) => one.s),
      failed: totals.failed - known((one) => one.failed),
      o,
      received,
      actions,
    },
  }
}
