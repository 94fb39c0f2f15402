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
import type { RunCommand } from '../command.ts'
import { openData } from '../open-data.ts'
import { styleOf } from '../terminal/style.ts'
import { createAdminClient } from './admin-client.ts'
import { explanationText } from './explanation-text.ts'
import { platformsIn } from './platform-flag.ts'
import { resolveDevice, tooShort } from './resolve-device.ts'
import { resolvePush } from './resolve-push.ts'

/** What GET /push/{id}/device answers. */
export const run: RunCommand = async ({ words, flags }, context) => {
  const [id = '', token = ''] = words
  const asker = createAdminClient(flags, context)
  if (asker.kind === 'problems') return asker
  const opened = openData(flags, context)
  if (opened.kind !== 'open') return opened
  using database = opened.database

  const named = resolvePush(createPushSearch({ database }), id, opened.data)
  if (named.kind !== 'one') return named
  const { push } = named
  const chosen = platformsIn(flags)
  const found = resolveDevice(createDeviceSearch({ database }), push.application, token, chosen)
  if (found.kind === 'problem') return found
  const short = found.kind === 'none' ? tooShort('TOKEN', token) : null
  if (short !== null) return short
  const known = found.kind === 'one' ? found.device : null
  const platform = known?.platform ?? (chosen.length === 1 ? chosen[0] : undefined)
  const pushId = push.id
  const facts = createExplainStore({ database }).find(push.application, pushId, known?.token ?? token, platform)
  if (facts === null) return problem(`There is no push ${pushId} any more.`)

  const explained = (pause: string | null) => explain({ ...facts.facts, pause })
  const asked = facts.platform !== null && WAITING.has(explained(null).verdict)
  const pauses = asked ? await asker.ask(pushId) : undefined
  const pause = facts.platform === null ? null : (pauses?.get(facts.platform) ?? null)
  const answer = explanationOf(explained(pause), facts, (device) => apnsIdOf(pushId, device))
  if (flags.has('json')) return done(jsonLine(answer))
  const unknown = asked && pauses === undefined
  return done(explanationText({ ...answer, push: pushId, device: known, pauseUnknown: unknown }, styleOf(context)))
}

/** Of these a pause of the whole platform may be the cause. */
const WAITING: ReadonlySet<ExplainVerdict> = new Set(['waiting', 'retrying'])
