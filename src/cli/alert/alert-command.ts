import { randomBytes } from 'node:crypto'
import { createAlertStore } from '../../alert/alert-store.ts'
import { ALERT_KINDS, CHANNELS, readAlertUrl } from '../../alert/alert.ts'
import type { Alert, AlertTarget } from '../../alert/alert.ts'
import { problem } from '../../failure.ts'
import { HOOK_NAME, isHookName } from '../../hook/hook.ts'
import type { Problems } from '../../settings/parse.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoOrNull, isoTime, moment } from '../../text/format.ts'
import { suggestion } from '../../text/nearest.ts'
import { sendingNote } from '../../webhook/address-guard.ts'
import { newWebhookSecret, secretBytes } from '../../webhook/signature.ts'
import { NO_KEY } from '../app/app-text.ts'
import { done, FINE, problems } from '../command.ts'
import type { CommandModule, ParsedArguments, World } from '../command.ts'
import { readGivenFile } from '../read-given-file.ts'
import { styleOf } from '../terminal/style.ts'
import { listing } from '../terminal/table-text.ts'

export const add: CommandModule<World> = {
  check: (given) => readAlert(given),

  async run(given, world) {
    const read = readAlert(given)
    if (read.kind === 'problems') return read
    const { alert, url } = read
    const path = given.flags.get('secret-file')
    const file = path === undefined ? null : readGivenFile(path, world)
    if (file?.kind === 'problem') return file
    const own = file?.text.trim() ?? null
    if (own === '') return problem(`The file ${path} is empty.`)
    const isSigned = alert.channel === 'webhook'
    if (isSigned && own !== null && secretBytes(own) === null)
      return problem(`The file ${path} has no secret such as whsec_… with the base64 of 24 to 64 bytes.`)
    if (!isSigned && own !== null && !/^[ -~]+$/.test(own))
      return problem(`The file ${path} has more than one line of ASCII.`)
    if (alert.channel === 'email' && (own === null) !== (new URL(url).username === ''))
      return problem(
        own === null
          ? 'The URL has a user: --secret-file FILE has the password.'
          : 'The URL has no user for the password: smtps://user@mail.example.com…',
      )
    const made = isSigned && own === null ? newWebhookSecret(randomBytes) : null
    const target: AlertTarget = { url, secret: own ?? made }

    const stored = world.database.transact(() => {
      const loaded = world.sealingKey()
      if (loaded.kind !== 'loaded') return loaded
      const alerts = createAlertStore({ ...world, key: loaded.key })
      if (alerts.find(alert.name) !== null)
        return problem(`There is an alert "${alert.name}": give this one another --name, or delete that one.`)
      alerts.add(alert, target)
      return { ...loaded, alert: alerts.find(alert.name) as Alert }
    })
    if (stored.kind !== 'loaded') return stored
    world.audit?.note({ alert: alert.name })
    if (given.flags.has('json'))
      return done(jsonLine({ ...alertJson(stored.alert), ...(made !== null && { secret: made }) }))
    const note = sendingNote(url, world.served?.webhookPrivate ?? null)
    const lines = [
      `Alert ${alert.name} is there, for ${alert.kinds.join(', ')}. Try it: bellhop alert test ${alert.name}`,
      ...(made === null
        ? []
        : ['', `  ${made}`, '', "Messages are signed with this secret. Copy it now; you won't see it again."]),
      ...(note === null ? [] : [note]),
      ...stored.notes,
    ]
    return done(`${lines.join('\n')}\n`)
  },
}

interface Read {
  readonly kind: 'alert'
  readonly alert: Pick<Alert, 'name' | 'channel' | 'place' | 'kinds'>
  readonly url: string
}

function readAlert({ words: [given = '', text = ''], flags }: ParsedArguments): Read | Problems {
  const channel = CHANNELS.find((one) => one === given)
  if (channel === undefined) return problems(`"${given}" is not one of ${CHANNELS.join(', ')}`)
  const place = readAlertUrl(channel, text)
  const name = flags.get('name') ?? channel
  const names = flags
    .get('when')
    ?.split(',')
    .map((one) => one.trim())
  const unknown = names?.find((one) => !ALERT_KINDS.some((kind) => kind === one))
  const wrong = [
    // A URL may contain a password.
    ...('expected' in place ? [`URL is not ${place.expected}`] : []),
    ...(isHookName(name) ? [] : [`--name: "${name}" is not ${HOOK_NAME}`]),
    ...(unknown === undefined ? [] : [`--when: "${unknown}" is not one of ${ALERT_KINDS.join(', ')}`]),
  ]
  if ('expected' in place || wrong.length > 0) return problems(...wrong)
  const kinds = ALERT_KINDS.filter((kind) => names?.includes(kind) ?? true)
  return { kind: 'alert', alert: { name, channel, place: place.place, kinds }, url: place.url }
}

export const list: CommandModule<World> = {
  async run({ flags }, world) {
    const alerts = createAlertStore({ ...world, key: NO_KEY }).list()
    if (flags.has('json')) return done(alerts.map((alert) => jsonLine(alertJson(alert))).join(''))
    if (alerts.length === 0) return done('There are no alerts: bellhop alert add ntfy URL makes one.\n')
    const lines = listing(
      alerts,
      [
        ['ID', ({ number }) => String(number), 'right'],
        ['NAME', ({ name }) => name],
        ['CHANNEL', ({ channel }) => channel],
        ['TO', ({ place }) => escapeControls(place)],
        ['WHEN', ({ kinds }) => kinds.join(', ')],
        ['LAST MESSAGE', (alert) => escapeControls(lastText(alert))],
      ],
      styleOf(world).paint,
    )
    return done(`${lines.join('\n')}\n`)
  },
}

function lastText({ toldAt, problem: why }: Alert): string {
  if (why !== null) return `not sent: ${why}`
  return toldAt === null ? 'none yet' : moment(toldAt)
}

/** Times in ISO 8601 UTC. */
function alertJson({ number, name, channel, place, kinds, createdAt, toldAt, problem: why }: Alert): object {
  const times = { createdAt: isoTime(createdAt), lastMessageAt: isoOrNull(toldAt) }
  return { id: number, name, channel, to: place, when: kinds, ...times, problem: why }
}

function findAlert(called: string, world: World): Alert | ReturnType<typeof problem> {
  const alerts = createAlertStore({ ...world, key: NO_KEY })
  const found = alerts.find(called)
  if (found === null) {
    const names = alerts.list().map(({ name }) => name)
    return problem(`There is no alert "${called}": bellhop alert list shows them.${suggestion(called, names)}`)
  }
  world.audit?.note({ alert: found.name })
  return found
}

/** The server sends alerts, with its settings and from its network. */
export const test: CommandModule<World> = {
  async run({ words: [called = ''] }, world) {
    const alert = findAlert(called, world)
    if ('kind' in alert) return alert
    if (world.served === null) return problem(`No server runs on ${world.data}: it is the server that sends alerts.`)
    const why = await world.served.testAlert(alert)
    if (why !== null) return problem(`The test message to ${alert.place} was not taken: ${why}.`)
    return done(`The test message was taken by ${alert.place}.\n`)
  },
}

export const erase: CommandModule<World> = {
  check: ({ words: [called = ''], flags }) =>
    flags.has('yes') ? FINE : problems(`alert delete deletes "${called}": nobody is told there. Add --yes to do so.`),

  async run({ words: [called = ''] }, world) {
    const alert = findAlert(called, world)
    if ('kind' in alert) return alert
    world.database.transact(() => createAlertStore({ ...world, key: NO_KEY }).remove(alert))
    return done(`Deleted the alert ${alert.name}.\n`)
  },
}
