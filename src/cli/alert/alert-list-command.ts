import type { Alert } from '../../alert/alert.ts'
import { createAlertStore } from '../../alert/alert-store.ts'
import { problem } from '../../failure.ts'
import { escapeControls, jsonLine } from '../../text/escape-controls.ts'
import { isoOrNull, isoTime, moment } from '../../text/format.ts'
import { suggestion } from '../../text/nearest.ts'
import { NO_KEY } from '../app/app-text.ts'
import { done } from '../command.ts'
import type { RunOnData, World } from '../command.ts'
import { styleOf } from '../terminal/style.ts'
import { listing } from '../terminal/table-text.ts'

export const run: RunOnData = async ({ flags }, world) => {
  // Nothing of this is sealed.
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
}

function lastText({ toldAt, problem: why }: Alert): string {
  if (why !== null) return `not sent: ${why}`
  return toldAt === null ? 'none yet' : moment(toldAt)
}

/** Without its URL and secret; times in ISO 8601 UTC. */
export function alertJson({ number, name, channel, place, kinds, createdAt, toldAt, problem: why }: Alert): object {
  const times = { createdAt: isoTime(createdAt), lastMessageAt: isoOrNull(toldAt) }
  return { id: number, name, channel, to: place, when: kinds, ...times, problem: why }
}

/** By name or ID. */
export function findAlert(called: string, world: World): Alert | ReturnType<typeof problem> {
  const alerts = createAlertStore({ ...world, key: NO_KEY })
  const found = alerts.find(called)
  if (found === null) {
    const names = alerts.list().map(({ name }) => name)
    return problem(`There is no alert "${called}": bellhop alert list shows them.${suggestion(called, names)}`)
  }
  world.audit?.note({ alert: found.name })
  return found
}
