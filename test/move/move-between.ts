import { createAdminTokenStore } from '../../src/admin/admin-token-store.ts'
import type { TokenPurpose } from '../../src/admin/token-purpose.ts'
import { systemClock } from '../../src/clock.ts'
import type { CommandLine } from '../cli/command-line.ts'
import type { Credentials, Service } from '../support/service.ts'

/** For a server without an application of its own. */
export const NONE: Credentials = { id: '', secret: '' }

export function newToken({ database }: Pick<Service, 'database'>, purpose: TokenPurpose = 'administer'): string {
  const tokens = createAdminTokenStore({ database, clock: systemClock })
  return database.transact(() => tokens.add(crypto.randomUUID(), { purpose, expiresAt: null })) ?? ''
}

interface Given {
  /** Default: a new one. */
  readonly token?: string
  /** Default: that of `to`. */
  readonly adminUrl?: string
  readonly more?: readonly string[]
}

/** Runs `bellhop app move` on `from`. */
export function moveBetween(
  cli: CommandLine,
  { id }: Pick<Credentials, 'id'>,
  from: Pick<Service, 'data'>,
  to: Pick<Service, 'adminUrl' | 'database'>,
  { token = newToken(to), adminUrl = to.adminUrl, more = [] }: Given = {},
) {
  const file = cli.file(`token-${crypto.randomUUID()}`, token)
  return cli.run(['app', 'move', id, '--to', adminUrl, '--to-token-file', file, ...more], { BELLHOP_DATA: from.data })
}

export type Step = 'offer' | 'begin' | 'rows' | 'complete' | 'activate' | 'drop'

/** A response replaces the real one. */
type Fate = 'passes' | 'is lost' | 'loses its answer' | Response

interface Wire extends AsyncDisposable {
  /** Replaces the other server's admin address. */
  readonly adminUrl: string
  readonly steps: readonly Step[]
}

/** A proxy between two servers. `fate` decides about each call; `after` runs before its answer is passed on. */
export function wireTo(
  target: string | (() => string),
  fate: (step: Step) => Fate | Promise<Fate>,
  after: (step: Step) => unknown = () => {},
): Wire {
  const adminUrl = () => (typeof target === 'string' ? target : target())
  const steps: Step[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const body = await request.text()
      const path = new URL(request.url).pathname
      const step = path === '/api/arrivals' ? 'offer' : (JSON.parse(body) as { step: Step }).step
      steps.push(step)
      const chosen = await fate(step)
      if (chosen instanceof Response) return chosen
      if (chosen === 'is lost') return new Response('', { status: 502 })
      const headers = new Headers(request.headers)
      headers.delete('host')
      const answer = await fetch(adminUrl() + path, { method: 'POST', headers, body }).catch(
        () => new Response('', { status: 502 }),
      )
      await after(step)
      if (chosen === 'loses its answer') return new Response('', { status: 502 })
      return new Response(await answer.bytes(), {
        status: answer.status,
        headers: { 'content-type': 'application/json' },
      })
    },
  })
  return {
    adminUrl: `http://127.0.0.1:${server.port}`,
    steps,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

export function servedBy(services: readonly Service[], { id }: Pick<Credentials, 'id'>): string[] {
  return services.flatMap(({ database }, at) => {
    const rows = database.statement<{ one: 1 }, [string]>(
      `SELECT 1 AS one FROM application WHERE id = ? AND number NOT IN
         (SELECT application FROM application_move WHERE phase NOT IN ('leaving', 'here'))`,
    )
    return rows.get(id) === null ? [] : [at === 0 ? 'the first' : 'the second']
  })
}
