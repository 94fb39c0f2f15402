import type { Database } from '../../database/database.ts'

type OfToken = [application: number, platform: number, token: string | Uint8Array]

/** What gateways have said of tokens, as an import knows it: the latest word stays. To be called inside a transaction. */
export function createImportedFeedback({ database }: { readonly database: Pick<Database, 'statement'> }) {
  const spokenAt = database.statement<{ at: number }, OfToken>(
    'SELECT at FROM feedback WHERE application = ? AND platform = ? AND token = ?',
  )
  const put = database.statement<never, [...OfToken, reason: string, at: number]>(
    `INSERT INTO feedback (application, platform, token, reason, at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET reason = excluded.reason, at = excluded.at WHERE excluded.at > feedback.at`,
  )
  return {
    /** When a gateway spoke of the token last, ms since the Unix epoch; `null`: none has. */
    spokenAt: (...ofToken: OfToken): number | null => spokenAt.get(...ofToken)?.at ?? null,

    /** Whether it is news. `reason` `null`: it is not known what was said, so nothing is noted. */
    note(ofToken: OfToken, { reason, at }: { readonly reason: string | null; readonly at: number }): boolean {
      return reason !== null && put.run(...ofToken, reason, at).changes > 0
    },
  }
}
