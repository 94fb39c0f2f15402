import { createUserKeyStore } from '../../application/user-key-store.ts'
import { DAY_MS } from '../../clock.ts'
import { duration } from '../../settings/setting-type.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoTime } from '../../text/format.ts'
import { done } from '../command.ts'
import type { RunOnApplication } from '../command.ts'
import { userKeyJson } from './app-text.ts'

/** Apps keep a proof while a user is signed in, and fetch a new one when they are next opened. */
const DEFAULT_OVERLAP_MS = 30 * DAY_MS

export const run: RunOnApplication = async ({ flags }, { database, clock, application, sealingKey }) => {
  const overlapMs = duration(0).read(flags.get('overlap') ?? '') ?? DEFAULT_OVERLAP_MS
  const sealing = database.transact(() => {
    const loaded = sealingKey()
    if (loaded.kind !== 'loaded') return loaded
    const userKeys = createUserKeyStore({ database, clock, key: loaded.key })
    return { ...loaded, made: userKeys.rotate(application, overlapMs) }
  })
  if (sealing.kind !== 'loaded') return sealing
  const { made, notes } = sealing

  const { id, name, limits } = application
  if (flags.has('json')) return done(jsonLine({ id, userKey: made.key, name, ...userKeyJson(made) }))
  const before =
    made.previousUntil === null
      ? []
      : [
          `The previous key is valid until ${isoTime(made.previousUntil)}.`,
          'If the old key has leaked, run the command again with --overlap 0s: it creates another key and revokes both.',
        ]
  return done(
    [
      `"${escapeControls(name)}" has a new user key.`,
      '',
      `  ${made.key}`,
      '',
      "Copy it to your backend now; you won't see it again. Your backend signs user IDs with it (bellhop manual users).",
      ...before,
      ...(limits.verifyUsers ? [] : [`To have every user proven: bellhop app limits ${id} --verify-users`]),
      ...notes,
      '',
    ].join('\n'),
  )
}
