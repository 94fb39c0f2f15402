import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { restore } from '../../backup/restore.ts'
import { SECOND_MS, sleep } from '../../clock.ts'
import { copyFor } from '../../database/migration/upgrade-copy.ts'
import { schemaOfFile } from '../../database/offline-database.ts'
import type { CommandContext } from '../command.ts'
import { counted } from '../../text/format.ts'
import { dataFlagOf, quoted } from '../data-directory.ts'
import { bucketOpener } from '../backup/bucket-opener.ts'
import { serverState } from '../remote/command-socket.ts'
import { beforeName, putProgramBack } from './installed-program.ts'
import { untilReady } from './server-control.ts'
import type { ServerControl, Wanted } from './server-control.ts'

interface Installed {
  readonly program: string
  readonly data: string
  readonly control: ServerControl
  /** The newest that the old version can open. */
  readonly schema: number
  readonly wanted: Wanted
}

/** A server that is not ready does no work. */
const STOP_MS = 10 * SECOND_MS
/** For the old version, even if the new one had less. */
const MIN_WAIT_MS = 30 * SECOND_MS
/** A service manager may start a server in between, which refuses the database and ends. */
const TRIES = 20

/**
 * Restores the old version, and the database if the new one has upgraded it; returns the result in sentences. If
 * devices or backends have stored something since, the new version stays.
 *
 * The database goes first: after a kill, the new version upgrades it again.
 */
export async function goBack({ program, data, control, schema, wanted }: Installed, context: CommandContext) {
  const { clock } = context
  const [path, before] = [join(data, 'bellhop.db'), beforeName(program)]
  if (!existsSync(before)) return `There is no ${before} to go back to.`
  const failed = await serverState(data, clock)
  const isRaised = schemaOfFile(path) > schema
  await control.stop(STOP_MS)
  const kept = isRaised ? await restoreCopy(path, schema, context) : { kind: 'restored' as const, text: '' }
  if (kept.kind === 'restored') putProgramBack(program)
  const unstarted = await control.start()
  if (kept.kind === 'lost') {
    const again = unstarted === null ? '' : ` It is not started: ${unstarted.problem}`
    const byHand = `bellhop restore ${quoted(kept.copy)} --yes${dataFlagOf(data)}; mv ${quoted(before)} ${quoted(program)}`
    return `The new version stays: ${kept.why}.${again} To go back all the same, stop the server, and: ${byHand}`
  }
  const back = { ...wanted, not: failed?.pid ?? wanted.not, waitMs: Math.max(wanted.waitMs, MIN_WAIT_MS) }
  const unready = unstarted?.problem ?? (await untilReady({ data, clock }, control, back))
  return `The version before is back, and ${unready ?? 'ready.'}${kept.text}`
}

type Kept =
  | { readonly kind: 'restored'; readonly text: string }
  | { readonly kind: 'lost'; readonly why: string; readonly copy: string }

async function restoreCopy(path: string, schema: number, context: CommandContext): Promise<Kept> {
  const copy = copyFor(path, schema)
  if (copy === null)
    return {
      kind: 'lost',
      why: `there is no copy of the database before its upgrade`,
      copy: `${path}.before-${schema + 1}`,
    }
  let confirmed = false
  for (let tries = 1; ; tries++) {
    const restored = await restore({
      data: join(path, '..'),
      from: { kind: 'file', path: copy },
      confirmed,
      // Accepted pushes are sent, some perhaps twice.
      cancelOpenPushes: null,
      clock: context.clock,
      openBucket: bucketOpener(context),
    })
    if (restored.kind === 'restored')
      return { kind: 'restored', text: ` The upgraded database is kept: ${restored.kept}.` }
    if (restored.kind === 'unconfirmed') {
      const { difference } = restored
      if (difference.kind === 'newer') {
        const { registered, changed, pushes } = difference
        const why = `since then ${counted(registered, 'device')} registered, ${counted(changed, 'device')} changed and ${counted(pushes, 'push', 'pushes')} made would be lost`
        if (registered + changed + pushes > 0) return { kind: 'lost', why, copy }
      }
      confirmed = true
    } else if (tries === TRIES) return { kind: 'lost', why: restored.problem.replace(/\.$/, ''), copy }
    else await sleep(context.clock, SECOND_MS / 4)
  }
}
