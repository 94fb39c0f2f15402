import { inSteps } from './persist.ts'
import type { SenderContext } from './sender-context.ts'

export type CredentialInUse = ReturnType<typeof createCredentialInUse>

type Context = Pick<SenderContext, 'application' | 'platform' | 'clock' | 'store' | 'persist' | 'registry'>

/** `number`: as in `CredentialKey`. New → (something is accepted) → proven: tokens refused before are bad. */
export function createCredentialInUse(context: Context, number: number) {
  const { application, platform, clock, store, persist, registry } = context
  const { acceptance } = store
  const key = { application, platform, credential: number }
  let isProven = acceptance.hasAny(key)

  /** Quarantines tokens refused before it was proven. `taken`: a device accepted since, not on disk yet. */
  async function settleHeld(taken: number | null): Promise<void> {
    await inSteps(persist, () => {
      const held = acceptance.takeHeld(key)
      for (const refusal of held) {
        if (refusal.device === taken || acceptance.wasAccepted(key, refusal.device)) continue
        registry.apply({ ...refusal, kind: 'quarantine', token: '' }, clock.wallAt(clock.now()))
      }
      return held.length > 0 || null
    })
  }

  return {
    number,

    get isProven(): boolean {
      return isProven
    },

    /** Whether refused tokens are bad. The simulator's credential needs no proof. */
    get isGood(): boolean {
      return number === 0 || isProven
    },

    wasAccepted: (device: number): boolean => acceptance.wasAccepted(key, device),

    prove(device: number): void {
      isProven = true
      void settleHeld(device)
    },

    /** Forgets earlier credentials, and restores devices that were refused with them. */
    async begin(): Promise<void> {
      if (isProven) void settleHeld(null)
      if (number === 0) return
      void inSteps(persist, () => acceptance.forgetOthers(key) || null)
      if (!isProven) await inSteps(persist, () => registry.giveBack(application, platform, number) || null)
    },
  }
}
