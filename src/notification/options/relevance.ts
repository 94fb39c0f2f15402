import { invalid, show } from '../../http/fields.ts'
import type { PushOption } from '../option.ts'

const MIN = 0
const MAX = 1

/** Apple, "Generating a remote notification", `relevance-score`: a summary features the highest. */
export const relevance_score: PushOption<number> = {
  field: {
    schema: {
      type: 'number',
      minimum: MIN,
      maximum: MAX,
      description:
        'iOS only: the relevance score, 0 to 1 (aps.relevance-score). A notification summary features the highest.',
      example: 0.5,
    },
    emptyIsAbsent: true,
    read(value, name) {
      const score = typeof value === 'string' && /^\d(\.\d{1,15})?$/.test(value) ? Number(value) : value
      if (typeof score === 'number' && score >= MIN && score <= MAX) return score
      throw invalid(name, `must be a number from ${MIN} to ${MAX}, not ${show(value)}`)
    },
  },
  alsoCalled: 'relevance iosRelevanceScore',
  isShown: true,
  flag: { placeholder: 'N', doc: 'rank in a notification summary, 0 to 1 (iOS)' },
  input: { kind: 'number', label: 'Relevance score', hint: 'iOS: 0 to 1. A summary features the highest.' },
  apns: 'aps.relevance-score',
}
