import { createApplicationStore } from '../../application/application-store.ts'
import { problem } from '../../failure.ts'
import { createMoveStore, movedAway, whereText } from '../../move/move-store.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { counted, grouped } from '../../text/format.ts'
import { done, FINE, problems } from '../command.ts'
import type { CheckArguments, CommandOutcome, ParsedArguments, RunOnData, World } from '../command.ts'
import { findApplication } from '../find-application.ts'
import { readGivenFile } from '../read-given-file.ts'
import { adminOriginOf, adminTokenIn } from '../remote/remote-command.ts'
import { ENDING, onSignals } from '../signals.ts'
import { NO_KEY } from './app-text.ts'

export const check: CheckArguments = ({ flags }) => {
  if (!flags.has('to')) return flags.has('to-token-file') || flags.has('url') ? problems('--to URL is missing.') : FINE
  const wrong = [
    ...(adminOriginOf(flags.get('to') ?? '') === null
      ? ['--to must be https, or http on this machine or a private network, without a path.']
      : []),
    ...(flags.has('to-token-file') ? [] : ['--to-token-file must name a file with a token of the other server.']),
  ]
  return wrong.length > 0 ? problems(...wrong) : FINE
}

export const run: RunOnData = async (given, world) => {
  const { words, flags } = given
  const [app = ''] = words
  const away = movedAway(createMoveStore({ ...world, key: NO_KEY }).list(), app)
  if (flags.has('finish')) return finish(app, away?.id ?? null, world)
  if (away !== null) {
    const where = `"${away.name}" ${whereText(away)}.`
    return flags.has('to') ? problem(where) : done(`${escapeControls(where)}\n`)
  }
  const found = findApplication(app, world)
  if (found.kind !== 'found') return found
  if (!flags.has('to')) return done(`"${escapeControls(found.application.name)}" is on this server.\n`)
  return move(given, found.application.id, world)
}

async function move({ flags }: ParsedArguments, id: string, world: World): Promise<CommandOutcome> {
  const { served, stderr, signals, data } = world
  const server = adminOriginOf(flags.get('to') ?? '') ?? ''
  const file = readGivenFile(flags.get('to-token-file') ?? '', world)
  if (file.kind === 'problem') return file
  const token = adminTokenIn(file.text)
  if (token === null) return problem('--to-token-file does not contain a token of bellhop admin token.')
  const application = createApplicationStore(world).find(id)
  if (served === null || application === null) {
    return problem(`No server runs on ${data}: start bellhop serve, since calls go on during a move.`)
  }
  const ending = new AbortController()
  using _ = onSignals(signals, ENDING, () => ending.abort())
  world.audit?.note({ to: server })
  const moved = await served.moving.move(
    application,
    { server, token, url: flags.get('url') ?? null },
    { say: (sentence) => stderr(`${sentence}\n`), signal: ending.signal },
  )
  if (moved.kind === 'problem') return moved
  const seconds = (moved.waitedMs / 1000).toFixed(1)
  return done(
    [
      `"${escapeControls(application.name)}" has moved with ${grouped(moved.devices)} ${counted(moved.devices, 'device').replace(/^\S+ /, '')}. Calls waited ${seconds} s.`,
      `Calls that come here are forwarded to ${moved.url}. Point your proxy, apps and backend there; then:`,
      `  bellhop app move ${id} --finish`,
      '',
    ].join('\n'),
  )
}

async function finish(app: string, id: string | null, { served, audit, data }: World): Promise<CommandOutcome> {
  if (id === null) return problem(`No application "${app}" has moved from here.`)
  if (served === null) return problem(`No server runs on ${data}: start bellhop serve.`)
  audit?.about(id)
  const why = await served.moving.finish(id)
  if (why !== null) return problem(why)
  return done('Calls are no longer forwarded: here the application is unknown now.\n')
}
