import { createAudienceCount } from '../../audience/audience-count.ts'
import type { Audience, Filter } from '../../audience/filter.ts'
import { createDeviceSearch } from '../../device/device-search-store.ts'
import { createDeviceStore } from '../../device/device-store.ts'
import type { Device } from '../../device/device.ts'
import { failure, problem, refusalIn } from '../../failure.ts'
import type { Failure } from '../../failure.ts'
import { createStatusStore } from '../../push/status/status-store.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { moment } from '../../text/format.ts'
import { done, failed, problems } from '../command.ts'
import type { ApplicationWorld, CheckArguments, CommandOutcome, ParsedArguments, RunOnApplication } from '../command.ts'
import { ALL_SIGNALS } from '../signals.ts'
import { startPolling } from '../terminal/poll.ts'
import { createProgress } from '../terminal/progress.ts'
import { styleOf } from '../terminal/style.ts'
import type { Pushing } from '../../push/pushing.ts'
import { readPush, toFlagNames } from './push-request.ts'
import type { PushWanted } from './push-request.ts'
import { confirmedHere, previewText, resultJson, resultText } from './push-text.ts'
import { watchPush } from './push-watch.ts'
import { resolveDevice, tooShort } from './resolve.ts'

/** Follows a push without progress for so long, if nobody watches. */
const PATIENCE_MS = 30_000

/** One device is looked up before. */
type PushTo = { readonly filter: Filter } | { readonly device: Pick<Device, 'id' | 'platform' | 'token'> }

interface Sending extends ApplicationWorld {
  readonly flags: ParsedArguments['flags']
}

export const check: CheckArguments = readPush

/** Exit code 1 if some failed and none was accepted. */
export const run: RunOnApplication = async (given, world) => {
  const read = readPush(given, world)
  if (read.kind === 'problems') return read
  try {
    return await send(read.push, { ...world, flags: given.flags })
  } catch (error) {
    return refusedHere(refusalIn(error))
  }
}

function refusedHere({ code, message }: Failure): CommandOutcome {
  if (code === 'InvalidArgument' || code === 'MissingParameter') return problems(toFlagNames(message))
  return problem(confirmedHere(message))
}

async function send(push: PushWanted, sending: Sending): Promise<CommandOutcome> {
  const { application, flags, stderr, data, served } = sending
  const json = flags.has('json')
  const pushing = sending.pushing()
  const found = findTo(push, sending, pushing)
  if (found.kind !== 'to') return found
  const { to } = found
  const { when, confirm } = push
  if (flags.has('dry-run')) {
    const audience =
      'filter' in to
        ? { filter: { ...to.filter, asOf: sending.clock.now() } }
        : { device: to.device.id, platform: to.device.platform }
    const preview = await pushing.preview(application, audience, push.notification, when)
    return done(json ? jsonLine(preview) : previewText(preview, styleOf(sending)))
  }

  const platforms = 'filter' in to ? to.filter.platforms : [to.device.platform]
  const notification = pushing.prepared(application, push.notification, platforms)
  const limits = flags.has('yes') ? { ...application.limits, confirmAbove: 0 } : application.limits
  const accepted = await pushing.accept(
    { ...application, limits },
    {
      notification,
      when,
      repeat: null,
      to:
        'filter' in to
          ? { kind: 'many', filter: to.filter, confirm }
          : { kind: 'one', find: () => stillThere(to.device, sending) },
    },
  )
  const { id, send_at: sendAt, passed = [] } = accepted
  sending.audit?.note({ push: id })
  stderr(`push ${id}\n`)
  if (served === null) stderr(`No server runs on ${data}: it is sent when bellhop serve runs.\n`)
  if (sendAt !== undefined) {
    if (passed.length > 0)
      stderr(`The time has already passed in ${passed.join(', ')}: devices there will not get it.\n`)
    stderr(`Until then, cancel it with bellhop cancel ${id}.\n`)
    const text = `scheduled for ${moment(Date.parse(sendAt))}\n`
    return done(json ? jsonLine({ id, state: 'scheduled', send_at: sendAt, passed }) : text)
  }
  if (served === null || flags.has('no-wait')) return done(json ? jsonLine({ id, state: 'accepted' }) : '')
  return follow(id, to, served, sending)
}

function stillThere(
  { platform, token }: Pick<Device, 'platform' | 'token'>,
  { database, clock, application }: Sending,
): Audience | Failure {
  const device = createDeviceStore({ database, clock }).idOf(application.number, platform, token)
  if (device === null) return failure('ResourceNotFound', 'The device is no longer registered.')
  return { device, platform }
}

function findTo(
  { to }: PushWanted,
  { database, application }: Sending,
  { reach }: Pick<Pushing, 'reach'>,
): { readonly kind: 'to'; readonly to: PushTo } | CommandOutcome {
  if ('filter' in to) return { kind: 'to', to: { filter: reach(application, to.filter) } }
  const found = resolveDevice(createDeviceSearch({ database }), application.number, to.token, to.platforms)
  if (found.kind === 'none') {
    return tooShort('--token', to.token) ?? problem('No device of this application has this token.')
  }
  if (found.kind !== 'one') return found
  const { device } = found
  if (device.state === 'registered') return { kind: 'to', to: { device } }
  return problem(`The device is ${device.state}: its gateway refused the token, and the app must register it again.`)
}

const CONTINUES = 'The server has stopped: the push continues when bellhop serve runs again.'

async function follow(
  id: string,
  to: PushTo,
  served: NonNullable<Sending['served']>,
  sending: Sending,
): Promise<CommandOutcome> {
  const { database, application, stderr, terminal, clock, kept } = sending
  kept?.(CONTINUES)
  const count = createAudienceCount({ database })
  const expected = 'filter' in to ? count(application.number, { ...to.filter, asOf: clock.now() }) : Promise.resolve(1)
  const progress = createProgress(sending, { unit: 'devices' })
  using polling = startPolling(sending, ALL_SIGNALS)
  const watched = await watchPush({
    application: application.number,
    id,
    statuses: createStatusStore({ database }),
    expected,
    clock,
    polling,
    progress,
    pauseOf: (platform) => served.pauseOf(application.number, platform),
    patienceMs: terminal === null ? PATIENCE_MS : null,
  })
  progress.end()
  // It reads the database, which is closed next.
  await expected
  if (watched.kind === 'gone') return problem(`The application "${application.name}" was deleted meanwhile.`)

  const { kind, result } = watched
  const json = sending.flags.has('json')
  const text = json ? jsonLine(resultJson(result)) : resultText(result, styleOf(sending))
  if (kind === 'stopped') {
    stderr(served.isStopping() ? `${CONTINUES}\n` : `The push continues; cancel it with bellhop cancel ${id}.\n`)
  }
  if (kind === 'standing') stderr('No progress for a while. The push continues when it can.\n')
  if (result.waitsFor !== null) stderr(`It waits: ${result.waitsFor}.\n`)
  const inVain = result.s === 0 && result.failed > 0
  return inVain || (kind === 'standing' && result.waitsFor !== null) ? failed(text) : done(text)
}
