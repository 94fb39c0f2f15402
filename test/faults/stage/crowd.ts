import type { Platform } from './ledger.ts'
import type { Party } from './stage.ts'

/** Registers devices by one call and enters them in the ledger; returns whether they were taken. */
export async function registerBatch(
  { api, ledger }: Party,
  platform: Platform,
  tokens: readonly string[],
  tags: readonly string[] = [],
): Promise<boolean> {
  const askedAt = Date.now()
  const answer = await api.call('PUT', '/deviceToken/batch', { tokens, platform, tags })
  const taken = answer?.status === 201
  if (answer !== null && !taken) return false
  const ackedAt = taken ? Date.now() : null
  for (const token of tokens) {
    const [known, doubtful] = [new Set(taken ? tags : []), new Set(taken ? [] : tags)]
    ledger.addDevice({ platform, token, askedAt, ackedAt, tags: known, doubtfulTags: doubtful, aliases: [null] })
  }
  return taken
}

/** A device token, the same for the same words. */
export function tokenOf(platform: 0 | 1, ...words: readonly (string | number)[]): string {
  const digest = new Bun.CryptoHasher('sha256').update([platform, ...words].join('/')).digest('hex')
  return platform === 0 ? digest : `android-${digest}`
}
