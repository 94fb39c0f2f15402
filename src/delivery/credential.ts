import { inSteps } from './persist.ts'
import type { SenderContext } from './sender-context.ts'
import type { CredentialKey } from './store/acceptance-store.ts'

type Context = Pick<SenderContext, 'clock' | 'store' | 'persist' | 'registry'>

/**
 * A credential in use. new → (something is accepted with it) → proven: tokens that were refused with it before are bad.
 */
export class CredentialInUse {
  readonly #deps: Context
  readonly #key: CredentialKey
  #isProven: boolean

  constructor(deps: Context, key: CredentialKey) {
    this.#deps = deps
    this.#key = key
    this.#isProven = deps.store.acceptance.hasAny(key)
  }

  /** As in `CredentialKey`. */
  get number(): number {
    return this.#key.credential
  }

  get isProven(): boolean {
    return this.#isProven
  }

  /** Proven, or the simulator's: tokens that are refused with it are bad. */
  get isGood(): boolean {
    return this.#isSimulated || this.#isProven
  }

  /** Whether `device` was ever accepted with it. */
  wasAccepted(device: number): boolean {
    return this.#deps.store.acceptance.wasAccepted(this.#key, device)
  }

  /** `device` was accepted with it. */
  prove(device: number): void {
    this.#isProven = true
    void this.#settleHeld(device)
  }

  /** It is used from now on: forgets earlier ones, and gives back devices that were refused with those. */
  async begin(): Promise<void> {
    const { store, persist, registry } = this.#deps
    const { application, platform, credential } = this.#key
    if (this.#isProven) void this.#settleHeld(null)
    if (this.#isSimulated) return
    void inSteps(persist, () => store.acceptance.forgetOthers(this.#key) || null)
    if (!this.#isProven) await inSteps(persist, () => registry.giveBack(application, platform, credential) || null)
  }

  get #isSimulated(): boolean {
    return this.#key.credential === 0
  }

  /** Quarantines tokens refused before it was proven, unless accepted since. `taken`: accepted, and not on disk yet. */
  async #settleHeld(taken: number | null): Promise<void> {
    const { store, persist, registry, clock } = this.#deps
    await inSteps(persist, () => {
      const held = store.acceptance.takeHeld(this.#key)
      for (const refusal of held) {
        if (refusal.device === taken || this.wasAccepted(refusal.device)) continue
        registry.apply({ ...refusal, kind: 'quarantine', token: '' }, clock.wallAt(clock.now()))
      }
      return held.length > 0 || null
    })
  }
}
