import type { Credentials, Service } from '../support/service.ts'

interface FinishedEvent {
  readonly id: string
  readonly t: number
  readonly s: number
  readonly failed: number
}

/** Stores the events of finished pushes, for `finishedEvents`: nobody listens at the webhook's address. */
export function storeFinishedEvents(service: Service, application: Credentials): void {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  service.hook(application, { url: 'https://192.0.2.1/hooks', events: ['push.finished'], secret })
}

/** Oldest first. */
export function finishedEvents(service: Service, { id: application }: Credentials): readonly FinishedEvent[] {
  const rows = service.database.reading<{ body: string }, [string]>(
    'SELECT e.body FROM event e JOIN application a ON a.number = e.application WHERE a.id = ? ORDER BY e.number',
  )
  return rows.all(application).map(({ body }) => {
    const { id, t, s, failed } = JSON.parse(body).data
    return { id, t, s, failed }
  })
}
