import { Elysia } from 'elysia'
import type { Application } from '../../application/application.ts'
import { failure, Refused } from '../../failure.ts'
import { wholeNumber } from '../../http/fields.ts'
import type { ProgressStore } from '../../push/status/progress-store.ts'
import { noPush } from '../../push/status/status-schema.ts'
import { adminCall } from '../admin-endpoint.ts'
import { OverviewAnswer } from '../api-types/overview-types.ts'
import { PushProgressEvent, PushesAnswer } from '../api-types/push-types.ts'
import { applicationNamed, applicationOfPush, numberIn } from '../application-fields.ts'
import { known } from '../administrator.ts'
import type { Actor } from '../administrator.ts'
import type { EventStreams, StreamEvent } from '../event-stream.ts'
import type { PushView } from '../view/push-view.ts'
import type { AdminParts } from './admin-parts.ts'

export interface Streaming {
  readonly streams: Pick<EventStreams, 'start'>
  /** Whether the session or token is still valid. */
  readonly isGood: (request: Request) => boolean
}

interface Dependencies extends AdminParts, Streaming {
  readonly progress: Pick<ProgressStore, 'named'>
  readonly pushes: PushView
  readonly overview: (days: number) => Promise<OverviewAnswer>
}

const days = wholeNumber(1, 90)
const SHOWN_DAYS = 30

const page = { before: wholeNumber(1, Number.MAX_SAFE_INTEGER), limit: wholeNumber(1, 200) }
const PAGE_PUSHES = 50

const OVER: ReadonlySet<string> = new Set(['finished', 'cancelled'])

export function pushOverviewRoutes(deps: Dependencies) {
  const { gate, directory, progress, pushes, overview } = deps

  function follow({ number, id, name }: Application, push: string) {
    let told = ''
    return (): { events: readonly StreamEvent[]; isLast: boolean } => {
      const summary = pushes.one(number, push)
      if (summary === null) return { events: [END], isLast: true }
      const data = JSON.stringify({ ...summary, application: { id, name } } satisfies PushProgressEvent)
      const events = data === told ? [] : [{ event: 'progress', data }]
      told = data
      const isLast = OVER.has(summary.state)
      return { events: isLast ? [...events, END] : events, isLast }
    }
  }

  return new Elysia({ name: 'push-overview-routes' })
    .use(gate)
    .get(
      '/api/overview',
      ({ query }) => overview(numberIn(query, 'days', days, SHOWN_DAYS)),
      adminCall('Service', 'All applications on one page, and what needs attention', {
        answer: OverviewAnswer,
        query: { days: `How many days, 1 to 90. Default ${SHOWN_DAYS}.` },
      }),
    )
    .get(
      '/api/applications/:id/pushes',
      ({ params, query }) => {
        const { number } = applicationNamed(directory, params.id)
        const before = numberIn(query, 'before', page.before, Number.MAX_SAFE_INTEGER)
        return pushes.page(number, before, numberIn(query, 'limit', page.limit, PAGE_PUSHES))
      },
      adminCall('Pushes', 'Pushes with their counts, newest first', {
        answer: PushesAnswer,
        query: { before: 'The number of the page before: `next` of the answer.', limit: 'Maximum number of pushes.' },
      }),
    )
    .get(
      '/api/pushes/:id/live',
      ({ actor, params, request }) => {
        const id = params.id.toLowerCase()
        const application = applicationOfPush(directory, progress, id)
        if (pushes.one(application.number, id) === null) throw noPush()
        return streamed(deps, known(actor), request, follow(application, id))
      },
      adminCall('Pushes', 'Server-sent events: progress until the push has finished', {
        answer: PushProgressEvent,
        contentType: 'text/event-stream',
      }),
    )
}

const END: StreamEvent = { event: 'end', data: '{}' }

/** Throws `Refused` when too many streams are open. */
export function streamed(
  { streams, isGood }: Streaming,
  by: Actor,
  request: Request,
  next: Parameters<EventStreams['start']>[0]['next'],
): Response {
  const body = streams.start({ by, next, isAllowed: () => isGood(request), gone: request.signal })
  if (body === null) {
    const wait = { 'retry-after': '10' }
    throw new Refused(failure('TooManyRequestsError', 'Too many pages are following events: close one.', wait))
  }
  // Without x-accel-buffering nginx would hold events back.
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } })
}
