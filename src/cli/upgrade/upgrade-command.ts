import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { makeBackup } from '../../backup/make-backup.ts'
import { MINUTE_MS } from '../../clock.ts'
import { isServed } from '../../database/directory-lock.ts'
import { NEWEST_SCHEMA } from '../../database/migration/migrations.ts'
import { copyFor } from '../../database/migration/upgrade-copy.ts'
import { schemaOfFile } from '../../database/offline-database.ts'
import { refuseLinks } from '../../database/regular-file.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { codeOf } from '../../text/error-code.ts'
import { BUILD_TARGET, RELEASE, RELEASE_KEY } from '../../version.ts'
import { bucketOpener } from '../backup/bucket-opener.ts'
import { done, FINE, problems } from '../command.ts'
import type { CheckArguments, CommandContext, CommandOutcome, ParsedArguments, RunCommand } from '../command.ts'
import { closedTo, commandLine, dataDirectory } from '../data-directory.ts'
import { serverState } from '../remote/command-socket.ts'
import { createWatch } from '../terminal/gauge.ts'
import { goBack } from './go-back.ts'
import {
  beforeName,
  blake2b512Of,
  programFacts,
  hindrance,
  install,
  makeLike,
  startDraft,
} from './installed-program.ts'
import { fitsFile, minisignKeyIn, readSignature } from './minisign.ts'
import type { MinisignKey, MinisignSignature, SignatureFault } from './minisign.ts'
import { fetchRelease, findRelease, shownSource, sourceProblem } from './release-source.ts'
import type { OfferedRelease } from './release-source.ts'
import { controlOf, runsFile, untilReady } from './server-control.ts'

/** In the data directory's `before-upgrade`. */
const KEPT_BACKUPS = 2
/** Longer than any drain time. */
const STOP_MS = 5 * MINUTE_MS
const WAIT_SECONDS = 30

export const check: CheckArguments = ({ flags }) => {
  const from = flags.get('from')
  const wrong = from === undefined ? 'upgrade needs --from FILE|URL.' : sourceProblem(from)
  return wrong === null ? FINE : problems(wrong)
}

/**
 * offered → (signature, target and version fit) → downloaded → (it fits, and runs) → database backed up → installed →
 * server restarted → ready, or everything goes back.
 *
 * A kill at any point leaves a whole executable and a whole database, and the same command continues.
 */
export const run: RunCommand = async ({ flags }, context) => {
  if (!Bun.isStandaloneExecutable) return problem('This Bellhop runs from source: upgrade its checkout.')
  const program = process.execPath
  const key = hindrance(program, context.env, againText(flags)) ?? releaseKey(flags, context)
  if (!('ed25519' in key)) return key
  const found = dataDirectory(flags, context)
  if (found.kind !== 'directory') return found
  const { data } = found
  const release = closedTo(data) ?? (await findRelease(flags.get('from') ?? '', BUILD_TARGET, context))
  if (release.kind === 'problem') return release
  const signed = signedRelease(release, key)
  if (signed.kind === 'problem') return signed

  const { clock } = context
  const server = await serverState(data, clock)
  if (server === null && isServed(data)) {
    return problem(
      `The server on ${data} does not answer: it is starting, stopping, or an older version. Restart it, and try again.`,
    )
  }
  const control = server && controlOf(server, program, flags.get('restart') ?? null, { data, clock })
  if (control?.kind === 'problem') return control
  const waitMs = Number(flags.get('wait') ?? WAIT_SECONDS) * 1000
  if (flags.has('dry-run')) {
    const restart = control === null ? 'No server runs.' : `The server (${control.shown}) would be restarted.`
    return done(
      `${program} ${RELEASE} would become ${signed.version}, from ${shownSource(release.from)}.\n${restart}\n`,
    )
  }

  const isInstalled = fitsFile(signed.signature, await blake2b512Of(program), key)
  const hindered = isInstalled ? null : await installFrom(release, { ...signed, key, program, data }, context)
  if (hindered !== null) return hindered
  context.audit?.note({ from: RELEASE, to: signed.version })
  const kept = existsSync(beforeName(program)) ? ` The version before is ${beforeName(program)}.` : ''
  const is = `${program} is bellhop ${signed.version}.${kept}\n`
  if (server === null || control === null) return done(`${is}No server runs on ${data}.\n`)
  if (runsFile(server.pid, program)) return done(`${is}The server runs it.\n`)

  const before = isInstalled ? programFacts(beforeName(program)) : { kind: 'facts' as const, schema: NEWEST_SCHEMA }
  if (!control.restarts) await control.stop(STOP_MS)
  const wanted = { not: server.pid, waitMs, only: server.ready ? 'ready' : 'answering' } as const
  const unready = (await control.start())?.problem ?? (await untilReady({ data, clock }, control, wanted))
  if (unready === null) return done(`${is}The server is ready.\n`)
  const what = `bellhop ${signed.version} is ${unready} Its log: ${control.log}.`
  if (before.kind === 'problem') return problem(`${what} There is no ${beforeName(program)} to go back to.`)
  return problem(`${what} ${await goBack({ program, data, control, schema: before.schema, wanted }, context)}`)
}

interface SignedRelease {
  readonly kind: 'signed'
  readonly version: string
  readonly signature: MinisignSignature
}

const FAULTS: Readonly<Record<SignatureFault, string>> = {
  'not a signature': 'is not a minisign signature',
  'not prehashed': 'is a signature of the old kind: sign without minisign -l',
  'another key': 'was made with another key',
  'changed comment': 'does not fit its trusted comment',
}

function signedRelease({ from, signature }: OfferedRelease, key: MinisignKey): SignedRelease | Problem {
  const shown = shownSource(from)
  const read = readSignature(signature, key)
  if (read.kind === 'fault') return problem(`${shown}.minisig ${FAULTS[read.fault]} (the key is ${key.id}).`)
  const [, version, target] = /^bellhop (\d[\w.+-]*) ([\w-]+)$/.exec(read.comment) ?? []
  if (version === undefined || target === undefined) {
    return problem(`${shown} is signed as "${read.comment}", which is not a release of Bellhop.`)
  }
  if (target !== BUILD_TARGET) return problem(`${shown} is for ${target}, and this is ${BUILD_TARGET || 'no release'}.`)
  if (Bun.semver.order(version, RELEASE) < 0) {
    return problem(`${shown} is ${version}, older than ${RELEASE}: bellhop manual upgrade says how to go back.`)
  }
  return { kind: 'signed', version, signature: read }
}

interface Installing extends SignedRelease {
  readonly key: MinisignKey
  readonly program: string
  readonly data: string
}

/** Returns why nothing has changed; `null`: it is installed. */
async function installFrom(release: OfferedRelease, to: Installing, context: CommandContext): Promise<Problem | null> {
  const { signature, key, version, program, data } = to
  const shown = shownSource(release.from)
  const started = startDraft(program)
  if (started.kind === 'problem') return started
  using draft = started
  try {
    const unfetched = await fetchRelease(release, draft.path, context)
    if (unfetched !== null) return unfetched
    if (!fitsFile(signature, await blake2b512Of(draft.path), key)) {
      return problem(`${shown} does not fit its signature: it was changed, or is incomplete. Nothing was changed here.`)
    }
    makeLike(program, draft.path)
    const facts = programFacts(draft.path)
    if (facts.kind === 'problem') return facts
    if (facts.release !== version) return problem(`${shown} is ${facts.release}, but signed as ${version}.`)
    const refusal = existsSync(join(data, 'bellhop.db')) ? await backUp(data, facts.schema, context) : null
    if (refusal === null) install(draft.path, program)
    return refusal
  } catch (error) {
    if (codeOf(error) !== 'ENOSPC') throw error
    return problem(`There is no room for the new executable beside ${program}. Nothing was changed.`)
  }
}

/** `schema`: the newest that the version knows. */
async function backUp(data: string, schema: number, context: CommandContext): Promise<Problem | null> {
  refuseLinks(data)
  const path = join(data, 'bellhop.db')
  const has = schemaOfFile(path)
  if (has > schema) {
    const copy = copyFor(path, schema)
    const back = copy === null ? '' : ` To go back: ${commandLine(['restore', copy], new Map([['data', data]]))}`
    return problem(`The database has schema ${has}, and that version knows ${schema}. Nothing was changed.${back}`)
  }
  const folder = join(data, 'before-upgrade')
  // The server's user could lead root elsewhere.
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return problem(`${folder} is a link: remove it.`)
  const watch = createWatch(context, { quiet: false })
  const to = { kind: 'folder', path: folder } as const
  const openBucket = bucketOpener(context)
  const made = await makeBackup({ data, to, keep: KEPT_BACKUPS, clock: context.clock, openBucket, watch })
  watch.end()
  if (made.kind === 'problem') return made
  context.stderr(`bellhop: The database was backed up to ${made.to}.\n`)
  return null
}

function releaseKey(flags: ParsedArguments['flags'], { readFile }: CommandContext): MinisignKey | CommandOutcome {
  const text = flags.get('key') ?? RELEASE_KEY
  if (text === '') return problems('This is your own build, which trusts no key: add --key FILE|BASE64.')
  const own = minisignKeyIn(text)
  if (own !== null) return own
  const file = readFile(text)
  if (file.kind === 'problem') return problem(`--key: ${text} ${file.problem}.`)
  return minisignKeyIn(Buffer.from(file.bytes).toString()) ?? problem(`--key: ${text} is not a minisign public key.`)
}

/** For sudo. */
function againText(flags: ParsedArguments['flags']): string {
  const given = [...flags].filter(([name]) => name !== 'data')
  const words = given.flatMap(([name, value]) => (value === '' ? [`--${name}`] : [`--${name}`, value]))
  return commandLine(['upgrade', ...words], flags)
}
