import { problem } from '../../failure.ts'
import { createPushSearch } from '../../push/push-search-store.ts'
import { pushStatusOf } from '../../push/status/status-answer.ts'
import { createPushSummaryStore } from '../../push/status/push-summary-store.ts'
import { createStatusStore } from '../../push/status/status-store.ts'
import type { PauseOf, StoredPush } from '../../push/status/status.ts'
import { wholeStatus } from '../../push/status/whole-status.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { done, problems } from '../command.ts'
import type { CommandOutcome, RunOnApplication } from '../command.ts'
import { styleOf } from '../terminal/style.ts'
import { pushesText, pushText } from './pushes-text.ts'
import { resolvePush } from './resolve.ts'

const DEFAULT_LIMIT = 20

const NEWEST = Number.MAX_SAFE_INTEGER

/** Like GET /pushes; or a single push in full. */
export const run: RunOnApplication = async ({ words: [, one], flags }, world) => {
  const ofList = ['scheduled', 'limit', 'after'].filter((flag) => one !== undefined && flags.has(flag))
  if (ofList.length > 0) return problems(...ofList.map((flag) => `--${flag} is for a list, and PUSH names one.`))
  const { data, clock, served } = world
  const { number } = world.application
  const statuses = createStatusStore(world)
  const pauseOf: PauseOf = (platform) => served?.pauseOf(number, platform) ?? null
  if (one !== undefined) return await shownOne(one)

  const after = flags.get('after')
  const last = after === undefined ? null : resolvePush(createPushSearch(world), after, data, '--after: ')
  if (last !== null && last.kind !== 'one') return last
  const before = last === null ? NEWEST : statuses.find(number, last.push.id)?.number
  if (before === undefined) return problem(`${after ?? ''} belongs to another application.`)
  const max = Number(flags.get('limit') ?? DEFAULT_LIMIT)
  const page = flags.has('scheduled') ? statuses.scheduled(number, max + 1) : statuses.list(number, before, max + 1)
  const pushes = []
  for (const push of page.slice(0, max)) pushes.push(listed(push))
  if (flags.has('json')) return done(pushes.map(jsonLine).join(''))
  const summaries = createPushSummaryStore(world)
  const view = {
    pushes: pushes.map((push, at) => Object.assign(push, { text: summaries.textOf(page[at]?.number ?? 0) })),
    scheduled: flags.has('scheduled'),
    first: last === null,
    more: page.length > max,
    now: clock.now(),
  }
  return done(pushesText(view, styleOf(world)))

  function listed(push: StoredPush) {
    return pushStatusOf(statuses.factsOf(push), pauseOf, clock.now())
  }

  async function shownOne(part: string): Promise<CommandOutcome> {
    const named = resolvePush(createPushSearch(world), part, data)
    if (named.kind !== 'one') return named
    const push = statuses.find(number, named.push.id)
    const status = push && (await wholeStatus({ statuses, clock, pauseOf }, number, named.push.id))
    if (status === null) return problem(`${part} belongs to another application.`)
    return done(flags.has('json') ? jsonLine(status) : pushText(status, styleOf(world)))
  }
}
