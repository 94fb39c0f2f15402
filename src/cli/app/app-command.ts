import { createRealThings } from '../../admin/real-things-store.ts'
import { createApplicationStore } from '../../application/application-store.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import { createUserKeyStore } from '../../application/user-key-store.ts'
import { DAY_MS } from '../../clock.ts'
import { problem } from '../../failure.ts'
import { duration } from '../../settings/setting-type.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import { done, problems } from '../command.ts'
import type { ApplicationWorld, CommandModule, World } from '../command.ts'
import { dataFlagOf } from '../data-directory.ts'
import { indented, NO_KEY, secretJson, userKeyJson } from './app-text.ts'
import { limitsIn, limitsText } from './limit-flags.ts'

/** The only command that creates a data directory: for others, a missing one is a misspelled --data. */
export const create: CommandModule<World> = {
  async run({ words: [name = ''], flags }, world) {
    const created = createApplicationStore(world).create(name)
    if (created.kind === 'name-taken')
      return problem(`An application named "${name}" already exists: choose another name.`)
    if (created.kind === 'name-invalid') {
      return problems('NAME must be 1 to 100 characters, without control characters and without white space at an end.')
    }
    const { application, secret } = created
    world.audit?.about(application.id)
    world.audit?.note({ name: application.name })
    if (flags.has('json')) return done(secretJson(application, secret))
    const { id } = application
    const where = dataFlagOf(flags.get('data'))
    return done(
      [
        `Created the application "${escapeControls(application.name)}".`,
        '',
        ...indented([
          ['id', id],
          ['secret', secret],
        ]),
        '',
        "Copy the secret to your backend now; you won't see it again. Put the ID into the app.",
        'Next, choose where its pushes go:',
        `  bellhop app apns ${id} --key FILE.p8 --key-id K --team-id T --topic BUNDLE${where}`,
        `  bellhop app fcm ${id} --service-account FILE.json${where}`,
        'to browsers, which needs no account:',
        `  bellhop app webpush ${id} --subject mailto:YOU@EXAMPLE.COM${where}`,
        'or try it without any keys:',
        `  bellhop app simulate ${id}${where}`,
        '',
      ].join('\n'),
    )
  },
}

export const rotateSecret: CommandModule<ApplicationWorld> = {
  async run({ words: [app = ''], flags }, { database, clock, application }) {
    const overlapMs = duration(0).read(flags.get('overlap') ?? '') ?? 0
    const applications = createApplicationStore({ database, clock })
    const rotated = database.transact(() => applications.rotateSecret(application.id, overlapMs))
    if (rotated.kind === 'not-found') return problem(`There is no application "${app}" any more.`)
    const { secret, previousUntil } = rotated
    const until = isoOrNull(previousUntil)
    if (flags.has('json')) return done(secretJson(application, secret, overlapMs === 0 ? {} : { previousUntil: until }))
    const before = until === null ? 'the old one no longer works' : `the old one is valid until ${until}`
    return done(
      [
        `"${escapeControls(application.name)}" has a new secret; ${before}.`,
        '',
        `  ${secret}`,
        '',
        "Copy it to your backend now; you won't see it again.",
        '',
      ].join('\n'),
    )
  },
}

/** Apps keep a proof while a user is signed in, and fetch a new one when they are next opened. */
const DEFAULT_OVERLAP_MS = 30 * DAY_MS

export const userKey: CommandModule<ApplicationWorld> = {
  async run({ flags }, { database, clock, application, sealingKey }) {
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
  },
}

export const limits: CommandModule<ApplicationWorld> = {
  async run({ words: [app = ''], flags }, world) {
    const wanted = limitsIn(flags)
    const { application } = world
    if (Object.keys(wanted).length === 0) return done(limitsText(application.limits))
    const changed = createApplicationStore(world).setLimits(application.id, wanted)
    if (changed.kind === 'not-found') return problem(`There is no application "${app}" any more.`)
    const shown = limitsText(changed.application.limits)
    return done(flags.has('verify-users') ? shown + keyNote(world) : shown)
  },
}

function keyNote({ database, clock, application }: ApplicationWorld): string {
  const userKeys = createUserKeyStore({ database, clock, key: NO_KEY })
  if (userKeys.summary(application) !== null) return ''
  return `\nIt has no user key yet, so no user can be proven: bellhop app user-key ${application.id}\n`
}

/** A selection from the simulator's `*-magic-tokens.ts`. */
const ORDERS = [
  ['iOS', 'Android', 'answer'],
  ['bad41000…', 'unregistered:…', '410 Unregistered, 404 UNREGISTERED: the device is gone'],
  ['bad40000…', 'invalid:…', '400: not a token'],
  ['bad42901…', 'throttled-1:…', '429 the first time, and then accepted'],
  ['bad50300…', 'unavailable:…', '503, each time'],
  ['bad00000…', 'slow:…', 'accepted after 3 seconds'],
]

export const simulate: CommandModule<ApplicationWorld> = {
  async run({ words: [app = ''], flags }, world) {
    const { application } = world
    const { id, name } = application
    const simulated = !flags.has('off')
    const asks = simulated && !application.simulated && !flags.has('yes')
    const real = asks
      ? createRealThings({ ...world, credentials: createCredentialStore({ ...world, key: NO_KEY }) })(application)
      : null
    if (real !== null) {
      const browsers = real.hasBrowsers ? ' Browsers are not affected.' : ''
      return problem(
        `"${name}" has ${real.things.join(', ')}: what waits would go to the simulator and reach no phone, and devices whose tokens it does not like would leave the audience.${browsers} Add --yes to do so.`,
      )
    }
    const changed = createApplicationStore(world).setSimulated(id, simulated)
    if (changed.kind === 'not-found') return problem(`There is no application "${app}" any more.`)
    if (!simulated) return done(`"${escapeControls(name)}" sends to APNs, FCM and push services.\n`)
    return done(
      [
        `"${escapeControls(name)}" uses the built-in simulator: no real phone is reached.`,
        '',
        'Any token works: 64 hex digits for iOS, any text for Android. Tokens that start like this simulate an answer:',
        '',
        ...indented(ORDERS),
        '',
        `Browsers get real pushes once the application has a VAPID key: bellhop app webpush ${id}`,
        `See what arrives:  bellhop tail ${id}${dataFlagOf(flags.get('data'))}`,
        '',
      ].join('\n'),
    )
  },
}
