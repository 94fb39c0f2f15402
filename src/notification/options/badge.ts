import { MAX_BADGE } from '../../device/badge.ts'
import type { BadgeChange } from '../../device/badge.ts'
import { invalid, show } from '../../http/fields.ts'
import type { PushOption } from '../option.ts'

/** Rendered for each recipient: an increment depends on the device's count. */
export const badge: PushOption<BadgeChange> = {
  field: {
    schema: {
      type: 'string',
      pattern: '^([+-]?[0-9]{1,10})?$',
      description: `The badge number, 0 to ${MAX_BADGE}, or "+1", "-1" relative to each device's stored count; "" leaves it unchanged.`,
    },
    emptyIsAbsent: false,
    read(value, name) {
      if (value === '') return null
      const digits = typeof value === 'number' ? String(value) : value
      const parts = typeof digits === 'string' ? /^([+-]?)(\d{1,10})$/.exec(digits) : null
      const size = Number(parts?.[2])
      // Only the text "-1" asks for a decrement.
      const sign = typeof value === 'number' ? (value < 0 ? null : '') : parts?.[1]
      if (parts === null || sign === null || size > MAX_BADGE) {
        throw invalid(name, `must be a whole number from 0 to ${MAX_BADGE}, "+n", "-n" or "", not ${show(value)}`)
      }
      if (sign === '') return { set: size }
      return { add: sign === '-' ? -size : size }
    },
  },
  alsoCalled: 'badgeCount setbadgecount iosBadgeCount',
  isShown: true,
  isEnough: true,
  flag: { placeholder: 'N', doc: 'badge number: 3, +1 or -1 (default: unchanged)' },
  input: { kind: 'line', label: 'Badge', hint: '+1 or 5. Leave empty to keep it.', initial: '' },
}
