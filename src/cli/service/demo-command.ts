import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdministratorStore } from '../../admin/administrator-store.ts'
import { hashPassword } from '../../admin/password.ts'
import { createAdminLinkStore } from '../../admin/session/admin-link-store.ts'
import { linkUrl } from '../../admin/admin-secret.ts'
import { createApplicationStore } from '../../application/application-store.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import { makeVapid } from '../../application/vapid.ts'
import { startRefusalOf } from '../../database/storage-errors.ts'
import { problem, StartRefused } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { createServer } from '../../server/server.ts'
import type { Server } from '../../server/server.ts'
import { readConfig } from '../../settings/parse.ts'
import type { Problems } from '../../settings/parse.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done } from '../command.ts'
import type { CommandContext, ParsedArguments, RunCommand, World } from '../command.ts'
import { dataFlagOf } from '../data-directory.ts'
import { openData } from '../open-data.ts'
import { ALL_SIGNALS, onSignals } from '../signals.ts'
import { demonstrate } from './demo-push.ts'

/** For printed command lines. */
const PROGRAM = Bun.isStandaloneExecutable ? 'bellhop' : './scripts/bun src/main.ts'

/** Runs in a temporary directory unless --data is given. */
export const run: RunCommand = async ({ flags, problems }, context) => {
  const once = flags.has('once')
  const temporary = flags.has('data') ? null : mkdtempSync(join(tmpdir(), 'bellhop-demo-'))
  const data = flags.get('data') ?? temporary ?? ''
  try {
    const values = new Map([
      ['log-level', 'warn'],
      ...(once ? FREE_PORTS : []),
      ...[...flags].filter(([name]) => name !== 'once'),
      ['data', data],
    ])
    const settings = readConfig(values, context.env, context.readFile, problems)
    if (settings.kind === 'problems') return settings
    const prepared = await prepare(data, once, context)
    if (prepared.kind !== 'prepared') return prepared
    const { application, signIn } = prepared
    const serveCommand = await context.serveCommand()
    const server = await createServer(settings.config, { serveCommand }).catch((error: unknown) =>
      startProblem(error, data),
    )
    if ('problem' in server) return server
    await using running = server
    const stop = Promise.withResolvers<undefined>()
    using _ = onSignals(context.signals, ALL_SIGNALS, () => stop.resolve(undefined))
    context.stdout(`Bellhop listens on ${running.url}\n\n`)
    const shown = await Promise.race([demonstrate(running, application, context), stop.promise])
    if (shown !== undefined && shown !== null) return shown
    if (once || shown === undefined) return done('')
    context.stdout(nextText(running, application, { signIn: signIn?.(running.adminUrl) ?? null, flags, data }))
    await stop.promise
    return done('')
  } finally {
    if (temporary !== null) rmSync(temporary, { recursive: true, force: true })
  }
}

async function prepare(data: string, once: boolean, context: CommandContext) {
  const opened = openData(new Map([['data', data]]), context, { create: true })
  if (opened.kind !== 'open') return opened
  using world = opened
  const application = demoApplication(world)
  const wrongKey = once ? null : demoBrowserKey(application.id, world)
  if (wrongKey !== null) return wrongKey
  return { kind: 'prepared', application, signIn: once ? null : await demoAdministrator(world) } as const
}

const FREE_PORTS = [
  ['listen', '127.0.0.1:0'],
  ['admin-listen', '127.0.0.1:0'],
] as const

function startProblem(error: unknown, data: string): Problem {
  const refusal = startRefusalOf(error, data)
  if (refusal instanceof StartRefused) return problem(refusal.message)
  throw refusal
}

interface Next {
  readonly signIn: string | null
  readonly flags: ParsedArguments['flags']
  readonly data: string
}

function nextText(
  { url }: Pick<Server, 'url'>,
  { id, secret }: { readonly id: string; readonly secret: string },
  { signIn, flags, data }: Next,
): string {
  const besides = dataFlagOf(data)
  return `
${signIn === null ? '' : `Dashboard, signed in (this link works once, for 30 minutes):\n\n  ${signIn}\n\n`}A real push to your browser, which takes no account: open this, and press the button.

  ${url}/webpush/${id}

Send the next one, from another terminal; with --all in the place of --tag beta your browser gets it too:

  ${PROGRAM} push demo "Once more" --tag beta${besides}

or as a backend does:

  curl ${url}/push/all \\
    -H 'Accept-Version: 1' -H 'Content-Type: application/json' \\
    -H 'X-SERVICE-APPID: ${id}' -H 'X-SERVICE-SECRET: ${secret}' \\
    -d '{"tags": ["beta"], "title": "Bellhop", "msg": "Once more"}'

Look at what is there:

  ${PROGRAM} devices demo${besides}
  ${PROGRAM} pushes demo${besides}
  ${PROGRAM} tail demo${besides}

API documentation  ${url}/docs
Manual             ${url}/manual
Data               ${escapeControls(data)}${flags.has('data') ? '' : ', erased at the end'}

Ctrl-C stops it.

`
}

const NAME = 'demo'

/** Push services' contact, in a domain reserved for examples (RFC 2606, 3). */
const NOBODY = 'mailto:demo@example.com'

/** Only a hash of the secret is stored, so each start makes a new one. */
function demoApplication(world: World): { readonly id: string; readonly secret: string } {
  const applications = createApplicationStore(world)
  const known = applications.find(NAME)
  const turned = known === null ? null : applications.rotateSecret(known.id)
  if (known !== null && turned?.kind === 'rotated') return { id: known.id, secret: turned.secret }
  const made = applications.create(NAME)
  if (made.kind !== 'created') throw new Error(made.kind)
  applications.setSimulated(made.application.id, true)
  return { id: made.application.id, secret: made.secret }
}

/** Browsers get real pushes, which takes a key but no account. `null`: no problem with the sealing key. */
function demoBrowserKey(id: string, world: World): Problem | Problems | null {
  const application = createApplicationStore(world).find(id)
  if (application === null) return null
  return world.database.transact(() => {
    const loaded = world.sealingKey()
    if (loaded.kind !== 'loaded') return loaded
    const credentials = createCredentialStore({ ...world, key: loaded.key })
    if (credentials.credentialOf(application, 'webpush') === null) credentials.put(application, makeVapid(NOBODY))
    return null
  })
}

/** The demo's administrator has no known password. */
async function demoAdministrator(world: World): Promise<(adminUrl: string) => string> {
  const hash = await hashPassword(randomBytes(32).toString('base64url'))
  const administrators = createAdministratorStore(world)
  const administrator = administrators.find(NAME) ?? administrators.add(NAME, hash)
  const link = createAdminLinkStore(world).make(administrator, null)
  return (adminUrl) => linkUrl(adminUrl, link)
}
