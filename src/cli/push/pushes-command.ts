import { isServed } from '../../database/directory-lock.ts'
import type { Platform } from '../../device/device.ts'
import { problem } from '../../failure.ts'
import { createPushSearch } from '../../push/push-search-store.ts'
import { pushStatusOf } from '../../push/status-schema.ts'
import { createStatusStore } from '../../push/status-store.ts'
import type { StoredPush } from '../../push/status.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { done, problems } from '../command.ts'
import type { ParsedArguments, CommandOutcome, CommandContext } from '../command.ts'
import { findApplication } from '../find-application.ts'
import { openData } from '../open-data.ts'
import { styleOf } from '../terminal/style.ts'
import { createAdminClient } from './admin-client.ts'
import type { AskPauses } from './admin-client.ts'
import { pushesText } from './pushes-text.ts'
import { resolvePush } from './resolve-push.ts'

const DEFAULT_LIMIT = '20'
const MAX_ROWS = 10_000

/** Newer than every push, `push.number`. */
const NEWEST = Number.MAX_SAFE_INTEGER

/** The pushes of an application as GET /pushes has them, or those that wait for their time. */
export async function runPushes({ words, flags }: ParsedArguments, context: CommandContext): Promise<CommandOutcome> {
  const limit = flags.get('limit') ?? DEFAULT_LIMIT
  const asker = createAdminClient(flags.get('admin-listen') ?? null, context)
  const wrong = asker.kind === 'problems' ? [...asker.problems] : []
  if (!/^\d{1,5}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_ROWS) {
    wrong.push(`--limit: "${limit}" is not a number from 1 to ${MAX_ROWS}.`)
  }
  if (flags.has('scheduled') && flags.has('after')) wrong.push('--after does not go with --scheduled.')
  if (wrong.length > 0 || asker.kind === 'problems') return problems(...wrong)
  const opened = openData(flags.get('data') ?? null, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database
  const { data } = opened
  const { clock } = context
  const found = findApplication(words[0] ?? '', { database, data, clock })
  if (found.kind !== 'found') return found
  const { number } = found.application
  const statuses = createStatusStore({ database })

  const after = flags.get('after')
  const last = after === undefined ? null : resolvePush(createPushSearch({ database }), after, data)
  if (last !== null && last.kind !== 'one') return last
  const before = last === null ? NEWEST : statuses.find(number, last.push.id)?.number
  if (before === undefined) return problem(`${escapeControls(after ?? '')} is a push of another application.`)
  const max = Number(limit)
  const page = flags.has('scheduled') ? statuses.scheduled(number, max + 1) : statuses.list(number, before, max + 1)
  const ask: AskPauses = isServed(data) ? asker.ask : async () => undefined
  const pushes = []
  for (const push of page.slice(0, max)) pushes.push(await listed(push))
  if (flags.has('json')) return done(pushes.map(jsonLine).join(''))
  const view = {
    pushes,
    scheduled: flags.has('scheduled'),
    first: last === null,
    more: page.length > max,
    now: clock.now(),
  }
  return done(pushesText(view, styleOf(context)))

  /** A pause is known to the server alone, and matters to what is open. */
  async function listed(push: StoredPush) {
    const reach = statuses.reach(push.number)
    const pauses = reach.some(({ open }) => open) ? await ask(push.id) : undefined
    return pushStatusOf(push, reach, (platform: Platform) => pauses?.get(platform) ?? null, clock.now())
  }
}
