import { isJsonObject } from '../text/json-object.ts'
import { INTERRUPTIONS } from './options/ios-display.ts'

export interface ApsFault {
  readonly key: string
  /** What is allowed: `must be …`. */
  readonly problem: string
}

/**
 * The first key of an `aps` with a value that Apple's "Generating a remote notification" doesn't allow: the phone would
 * show nothing. Phones ignore unknown keys.
 */
export function apsFaultOf(aps: Readonly<Record<string, unknown>>): ApsFault | null {
  for (const [key, value] of Object.entries(aps)) {
    const rule = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined
    if (rule?.fits(value) === false) return { key, problem: `must be ${rule.allowed}` }
  }
  return null
}

interface Rule {
  readonly allowed: string
  fits(value: unknown): boolean
}

const TEXT: Rule = { allowed: 'a string', fits: (value) => typeof value === 'string' }
const TEXT_OR_OBJECT: Rule = {
  allowed: 'a string or an object',
  fits: (value) => typeof value === 'string' || isJsonObject(value),
}
const SWITCH: Rule = { allowed: '1 or 0', fits: (value) => value === 1 || value === 0 }

const KEYS: Readonly<Record<string, Rule>> = {
  alert: TEXT_OR_OBJECT,
  sound: TEXT_OR_OBJECT,
  badge: { allowed: 'a whole number', fits: Number.isInteger },
  'thread-id': TEXT,
  category: TEXT,
  'target-content-id': TEXT,
  'filter-criteria': TEXT,
  'content-available': SWITCH,
  'mutable-content': SWITCH,
  'interruption-level': {
    allowed: `one of ${INTERRUPTIONS.join(', ')}`,
    fits: (value) => INTERRUPTIONS.some((one) => one === value),
  },
  'relevance-score': {
    allowed: 'a number from 0 to 1',
    fits: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  },
}
