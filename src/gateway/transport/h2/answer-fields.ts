import type { HeaderField } from './header-table.ts'

/** The status of an answer with these fields; `null`: the answer is malformed (RFC 9113, 8.2 and 8.3.2). */
export function statusOf(fields: readonly HeaderField[]): number | null {
  const first = fields[0]
  if (first === undefined || first.name !== ':status' || !/^[1-9]\d\d$/.test(first.value)) return null
  // The only pseudo-header field of an answer, and before all others.
  for (let n = 1; n < fields.length; n++) if (!isRegular(fields[n])) return null
  return Number(first.value)
}

/** 8.1: "Trailers MUST NOT include pseudo-header fields". */
export function areTrailers(fields: readonly HeaderField[]): boolean {
  return fields.every(isRegular)
}

/** Of several fields with the name, the values as one list (RFC 9110, 5.3). */
export function valueOf(fields: readonly HeaderField[], name: string): string | null {
  let value: string | null = null
  for (const field of fields) if (field.name === name) value = value === null ? field.value : `${value}, ${field.value}`
  return value
}

/**
 * 8.2.1: what a name must not have in it, capital letters and a colon among them; and what a value must not have, or
 * begin or end with.
 */
const NO_NAME = /[^\x21-\x39\x3b-\x40\x5b-\x7e]|^$/
const NO_VALUE = /[\0\n\r]|^[ \t]|[ \t]$/

/** 8.2.2: "Any message containing connection-specific header fields MUST be treated as malformed". */
const CONNECTION_SPECIFIC: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

function isRegular(field: HeaderField | undefined): boolean {
  return (
    field !== undefined &&
    !NO_NAME.test(field.name) &&
    !NO_VALUE.test(field.value) &&
    !CONNECTION_SPECIFIC.has(field.name)
  )
}
