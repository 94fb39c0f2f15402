/** After so many Safari ends a subscription (WebKit, `incrementSilentPushCount`). */
const MAX_SILENT = 3

/** Subscriptions remembered at the most. */
const MAX_REMEMBERED = 10_000

/** Counts pushes for which Safari shows nothing, by subscription. */
export class SilentPushes {
  readonly #counts = new Map<string, number>()

  /** Whether Safari has ended the subscription before `body` came; `null`: nobody here can read it. */
  hasEnded(endpoint: string, body: unknown): boolean {
    const before = this.#counts.get(endpoint) ?? 0
    if (before >= MAX_SILENT) return true
    if (body === null || (body as { readonly notification?: unknown }).notification !== undefined) return false
    this.#counts.set(endpoint, before + 1)
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= MAX_REMEMBERED) break
      this.#counts.delete(oldest)
    }
    return false
  }
}
