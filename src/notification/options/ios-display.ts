import { invalid, show } from '../../http/fields.ts'
import { flag, choiceField } from '../option-fields.ts'
import type { PushOption } from '../option.ts'

/** Default: true with an image. */
export const mutable: PushOption<boolean> = {
  field: flag(
    "iOS only: run the app's notification service extension (aps.mutable-content): true, false, 1 or 0. Default true with an image.",
    true,
  ),
  alsoCalled: 'mutableContent',
  isShown: true,
  input: { kind: 'switch', label: 'Run the notification service extension (iOS)' },
  apns(mutable, { aps }) {
    aps['mutable-content'] = mutable ? 1 : undefined
  },
}

/** Apple, "Generating a remote notification", `interruption-level`. */
export const INTERRUPTIONS = ['passive', 'active', 'time-sensitive', 'critical'] as const

export const interruption: PushOption<(typeof INTERRUPTIONS)[number]> = {
  field: choiceField(
    INTERRUPTIONS,
    'time-sensitive',
    'iOS only: the interruption level (aps.interruption-level). critical needs a sound and an entitlement from Apple.',
  ),
  alsoCalled: 'interruptionLevel',
  isShown: true,
  input: { kind: 'choice', label: 'Interruption level', hint: 'iOS.', choices: INTERRUPTIONS },
  apns(interruption, { aps }) {
    // "For critical alerts, use the sound dictionary instead."
    const { sound } = aps
    if (interruption === 'critical' && sound !== undefined) aps['sound'] = { critical: 1, name: sound, volume: 1 }
    aps['interruption-level'] = interruption
  },
}

/** Apple, "Generating a remote notification", `relevance-score`: a summary features the highest. */
export const relevance_score: PushOption<number> = {
  field: {
    schema: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description:
        'iOS only: the relevance score, 0 to 1 (aps.relevance-score). A notification summary features the highest.',
      example: 0.5,
    },
    emptyIsAbsent: true,
    read(value, name) {
      const score = typeof value === 'string' && /^\d(\.\d{1,15})?$/.test(value) ? Number(value) : value
      if (typeof score === 'number' && score >= 0 && score <= 1) return score
      throw invalid(name, `must be a number from 0 to 1, not ${show(value)}`)
    },
  },
  alsoCalled: 'relevance iosRelevanceScore',
  isShown: true,
  flag: { placeholder: 'N', doc: 'rank in a notification summary, 0 to 1 (iOS)' },
  input: { kind: 'number', label: 'Relevance score', hint: 'iOS: 0 to 1. A summary features the highest.' },
  apns: 'aps.relevance-score',
}
