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
