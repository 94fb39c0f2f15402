import { createServer } from 'node:net'
import { hostPort } from '../../settings/network-types.ts'
import type { ListenAddress } from '../../settings/network-types.ts'
import { openFiles } from '../../system/open-files.ts'
import type { ReadFile } from '../../system/read-file.ts'
import { codeOf } from '../../text/error-code.ts'
import { listed } from '../../text/format.ts'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'

/** `by`: the program's name, if this user may see it. */
export type Tried =
  | { readonly kind: 'free' }
  | { readonly kind: 'taken'; readonly by: string | null }
  | { readonly kind: 'refused'; readonly code: string }

export interface TriedListener {
  readonly flag: '--listen' | '--admin-listen'
  readonly address: ListenAddress
  readonly tried: Tried
}

export async function tryListening({ host, port }: ListenAddress, readFile: ReadFile): Promise<Tried> {
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<string | null>()
  server.once('error', (error) => resolve(codeOf(error)))
  server.listen({ host, port, exclusive: true }, () => resolve(null))
  const code = await promise
  if (code === null) {
    const closed = Promise.withResolvers<void>()
    server.close(() => closed.resolve())
    await closed.promise
    return { kind: 'free' }
  }
  return code === 'EADDRINUSE' ? { kind: 'taken', by: holderOf(port, readFile) } : { kind: 'refused', code }
}

/** `served`: a server runs on this data directory. `answered`: some Bellhop answers at the admin address. */
export function judgeListeners(
  listeners: readonly TriedListener[],
  { served, answered }: { readonly served: boolean; readonly answered: boolean },
): Finding {
  for (const { flag, address, tried } of listeners) {
    const at = hostPort(address)
    if (tried.kind === 'refused') {
      if (tried.code === 'EACCES') {
        return warning(
          `This user may not listen at ${at} (${flag}): ports below 1024 are root's.`,
          'The unit that bellhop systemd prints may (CAP_NET_BIND_SERVICE); else choose a higher port.',
        )
      }
      return failing(
        `Nothing can listen at ${at} (${flag}): ${tried.code}.`,
        tried.code === 'EADDRNOTAVAIL'
          ? 'No network interface of this machine has that address.'
          : `Choose another ${flag}.`,
      )
    }
    if (tried.kind === 'taken' && !served && answered) {
      return warning(
        `A Bellhop listens at ${at} already (${flag}): it serves another data directory, or one that this user may not look into.`,
        "Run doctor as the server's user with its --data; a second server needs its own addresses.",
      )
    }
    if (tried.kind === 'taken' && !served) {
      const by = tried.by === null ? 'Another program' : `The program ${tried.by}`
      return failing(
        `${by} listens at ${at} already (${flag}): serve does not start.`,
        `End it, or choose another ${flag}. ss -ltnp shows what listens where.`,
      )
    }
  }
  const places = listeners.map(({ address }) => hostPort(address))
  if (!served) return ok(`serve can listen at ${listed(places)}.`)
  const idle = listeners.filter(({ tried }) => tried.kind === 'free')
  if (idle.length === 0) return ok(`The running server has ${listed(places)}.`)
  return warning(
    `A server is running on this data directory, but nobody listens at ${listed(idle.map(({ address }) => hostPort(address)))}.`,
    `Give doctor the same ${idle.map(({ flag }) => flag).join(' and ')} as the server.`,
  )
}

const LISTENING = '0A'

/** Reads /proc. `null`: another user's socket, or no /proc. */
function holderOf(port: number, readFile: ReadFile): string | null {
  const sockets = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) =>
      textOf(path, readFile)
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter((cells) => cells[3] === LISTENING && Number.parseInt(cells[1]?.split(':')[1] ?? '', 16) === port)
        .map((cells) => `socket:[${cells[9]}]`),
    ),
  )
  for (const { pid, target } of openFiles()) {
    if (sockets.has(target)) return `${textOf(`/proc/${pid}/comm`, readFile).trim()} (process ${pid})`
  }
  return null
}

function textOf(path: string, readFile: ReadFile): string {
  const file = readFile(path)
  return file.kind === 'read' ? new TextDecoder().decode(file.bytes) : ''
}
