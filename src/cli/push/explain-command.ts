import { createDeviceSearch } from '../../device/device-search-store.ts'
import { problem } from '../../failure.ts'
import { apnsIdOf } from '../../gateway/apns/protocol.ts'
import { createExplainStore } from '../../push/explain/explain-store.ts'
import { explain } from '../../push/explain/explain.ts'
import type { ExplainVerdict } from '../../push/explain/explanation.ts'
import { createPushSearch } from '../../push/push-search-store.ts'
import { explanationOf } from '../../push/status/status-answer.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { RunOnData } from '../command.ts'
import { styleOf } from '../terminal/style.ts'
import { explanationText } from './explanation-text.ts'
import { platformsIn } from './platform-flag.ts'
import { resolveDevice, tooShort } from './resolve.ts'
import { resolvePush } from './resolve.ts'

/** What GET /push/{id}/device answers. */
export const run: RunOnData = async ({ words, flags }, world) => {
  const [id = '', token = ''] = words
  const named = resolvePush(createPushSearch(world), id, world.data)
  if (named.kind !== 'one') return named
  const { push } = named
  const chosen = platformsIn(flags)
  const found = resolveDevice(createDeviceSearch(world), push.application, token, chosen)
  if (found.kind === 'problem') return found
  const short = found.kind === 'none' ? tooShort('TOKEN', token) : null
  if (short !== null) return short
  const known = found.kind === 'one' ? found.device : null
  const platform = known?.platform ?? (chosen.length === 1 ? chosen[0] : undefined)
  const pushId = push.id
  const facts = createExplainStore(world).find(push.application, pushId, known?.token ?? token, platform)
  if (facts === null) return problem(`There is no push ${pushId} any more.`)

  const explained = (pause: string | null) => explain({ ...facts.facts, pause })
  const on = WAITING.has(explained(null).verdict) ? facts.platform : null
  const pause = on === null ? null : (world.served?.pauseOf(push.application, on) ?? null)
  const answer = explanationOf(explained(pause), facts, (device) => apnsIdOf(pushId, device))
  if (flags.has('json')) return done(jsonLine(answer))
  const pauseUnknown = on !== null && world.served === null
  return done(explanationText({ ...answer, push: pushId, device: known, pauseUnknown }, styleOf(world)))
}

/** Perhaps because of a pause of the whole platform. */
const WAITING: ReadonlySet<ExplainVerdict> = new Set(['waiting', 'retrying'])
