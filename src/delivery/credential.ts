import { inSteps } from './persist.ts'
import type { SenderContext } from './sender-context.ts'
import type { CredentialKey } from './store/acceptance-store.ts'

type Context = Pick<SenderContext, 'clock' | 'store' | 'persist' | 'registry'>

/**
 * A credential in use, and what is known of it.
 *
 * new → (a gateway takes something with it) → proven: tokens that it was refused before that are bad.
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

  /** A gateway has taken something with it. */
  get isProven(): boolean {
    return this.#isProven
  }

  /** Proven, or the simulator's: tokens that are refused with it are bad. */
  get isGood(): boolean {
    return this.#isSimulated || this.#isProven
  }

  /** Whether something was ever taken with it for this device, `device.id`. */
  wasAccepted(device: number): boolean {
    return this.#deps.store.acceptance.wasAccepted(this.#key, device)
  }

  /** A gateway has taken something with it, for this device. */
  prove(device: number): void {
    this.#isProven = true
    void this.#settleHeld(device)
  }

  /** It is sent with from now on: forgets the ones before, and gives back whom they were refused. */
  async begin(): Promise<void> {
    const { store, persist, registry } = this.#deps
    const { application, platform, credential } = this.#key
    if (this.#isProven) void this.#settleHeld(null)
    if (this.#isSimulated) return
    if (store.acceptance.hasOthers(this.#key)) {
      void inSteps(persist, () => store.acceptance.forgetOthers(this.#key) || null)
    }
    if (!this.#isProven) await inSteps(persist, () => registry.giveBack(application, platform, credential) || null)
  }

  get #isSimulated(): boolean {
    return this.#key.credential === 0
  }

  /**
   * Tokens that were refused before it was known to be good are bad, but for those of devices that it was taken for
   * since. `taken`: one whose acceptance is not on disk yet.
   */
  async #settleHeld(taken: number | null): Promise<void> {
    const { store, persist, registry, clock } = this.#deps
    await inSteps(persist, () => {
      const held = store.acceptance.takeHeld(this.#key)
      for (const refusal of held) {
        if (refusal.device === taken || this.wasAccepted(refusal.device)) continue
        registry.apply({ ...refusal, kind: 'quarantine', token: '' }, clock.now())
      }
      return held.length > 0 || null
    })
  }
}
