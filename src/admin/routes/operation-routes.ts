import { Elysia } from 'elysia'
import type { BackupRepository } from '../../backup/repository.ts'
import type { BackupSchedule } from '../../backup/schedule.ts'
import { timeInName } from '../../backup/backup-name.ts'
import { HOUR_MS } from '../../clock.ts'
import { failure, Refused } from '../../failure.ts'
import { invalid, show } from '../../http/fields.ts'
import type { LogLine } from '../../log.ts'
import { isoOrNull, isoTime } from '../../text/format.ts'
import { adminCall } from '../admin-endpoint.ts'
import { BackupsAnswer, ServiceLogLine } from '../api-types/operation-types.ts'
import { known } from '../administrator.ts'
import type { StreamEvent } from '../event-stream.ts'
import type { AdminParts } from './admin-parts.ts'
import { streamed } from './push-overview-routes.ts'
import type { Streaming } from './push-overview-routes.ts'

/** `number` counts from the service's start. */
export type KeptLine = LogLine & { readonly number: number }

/** After this number, oldest first. */
export type RecentLines = (number: number) => readonly KeptLine[]

interface Dependencies extends AdminParts, Streaming {
  /** `null`: off. */
  readonly backups: (Pick<BackupSchedule, 'state' | 'isMaking' | 'makeNow'> & Pick<BackupRepository, 'list'>) | null
  readonly recentLines: RecentLines
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const

export function operationRoutes(deps: Dependencies) {
  const { gate, commit, log, backups, recentLines } = deps

  async function backupsAnswer(): Promise<BackupsAnswer> {
    if (backups === null) return { schedule: null, backups: [], problem: null }
    const { everyMs, lastSuccessAt, lastError, verified } = backups.state()
    const listed = await backups.list()
    return {
      schedule: {
        everyHours: everyMs / HOUR_MS,
        lastSuccessAt: isoOrNull(lastSuccessAt),
        lastError,
        isMaking: backups.isMaking(),
        verified: verified && {
          lastSuccessAt: isoOrNull(verified.lastSuccessAt),
          lastError: verified.lastError,
        },
      },
      backups:
        listed.kind === 'problem'
          ? []
          : listed.backups.map(({ name, bytes }) => ({ name, bytes, at: isoTime(timeInName(name) ?? 0) })),
      problem: listed.kind === 'problem' ? listed.problem : null,
    }
  }

  return new Elysia({ name: 'operation-routes' })
    .use(gate)
    .get(
      '/api/backups',
      () => backupsAnswer(),
      adminCall('Service', 'Backups that there are', { answer: BackupsAnswer }),
    )
    .post(
      '/api/backups',
      async ({ actor }) => {
        const by = known(actor)
        if (backups === null) {
          throw new Refused(failure('ConflictError', 'Backups are off: set --backup.'))
        }
        if (!backups.makeNow()) throw new Refused(failure('ConflictError', 'A backup is already in progress.'))
        await commit(() => log.add(by, 'make backup'))
        return backupsAnswer()
      },
      adminCall('Service', 'Make a backup', { action: 'make backup', answer: BackupsAnswer }),
    )
    .get(
      '/api/service-log',
      ({ actor, query, request }) => {
        const least = query['level'] ?? 'info'
        if (!LEVELS.some((level) => level === least)) {
          throw invalid('level', `must be one of ${LEVELS.join(', ')}, not ${show(least)}`)
        }
        const application = query['application'] ?? null
        const from = LEVELS.findIndex((level) => level === least)
        const isWanted = ({ level, fields }: KeptLine) =>
          LEVELS.indexOf(level) >= from && (application === null || fields['application'] === application)
        const lastId = request.headers.get('last-event-id') ?? ''
        let after = /^\d{1,15}$/.test(lastId) ? Number(lastId) : 0
        const next = () => {
          const lines = recentLines(after)
          after = lines.at(-1)?.number ?? after
          return { events: lines.filter(isWanted).map(lineEvent), isLast: false }
        }
        return streamed(deps, known(actor), request, next)
      },
      adminCall('Service', 'Server-sent events: the last log lines, then new ones', {
        answer: ServiceLogLine,
        query: {
          level: 'The lowest level: debug, info, warn or error. Default info.',
          application: 'Only about this application ID.',
        },
        contentType: 'text/event-stream',
      }),
    )
}

function lineEvent({ number, at, level, event, fields }: KeptLine): StreamEvent {
  const kept = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null]))
  const line: ServiceLogLine = { number, at: isoTime(at), level, event, fields: kept }
  return { event: 'line', id: number, data: JSON.stringify(line) }
}
