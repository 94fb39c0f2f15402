import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { syncDirectory } from '../../system/durable.ts'
import { userName } from '../../system/operator.ts'
import { codeOf } from '../../text/error-code.ts'
import { parseJsonObject } from '../../text/json-object.ts'

/*
 * The executable's neighbours: `bellhop.before`, the old version, and `bellhop.new-PID`, a download by process PID. The
 * executable itself is always whole.
 */

export interface ProgramFacts {
  readonly kind: 'facts'
  /** `0.2.0` */
  readonly release: string
  readonly schema: number
}

/** Bellhop itself, or a small init of images. */
const CONTAINER_INIT = /^(bellhop|tini|docker-init|dumb-init|catatonit)\n$/
const PROBE_MS = 20_000

/** `null`: it can be replaced. `again`: this command line. */
export function hindrance(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
  again: string,
): Problem | null {
  const isLinux = process.platform === 'linux'
  if ('KUBERNETES_SERVICE_HOST' in env || (isLinux && CONTAINER_INIT.test(readFileSync('/proc/1/comm', 'utf8')))) {
    return problem('Bellhop runs in a container here: change the image, and create the container again.')
  }
  try {
    accessSync(dirname(program), constants.W_OK)
    return null
  } catch (error) {
    if (codeOf(error) === 'EROFS') {
      return problem(`${program} is on a read-only file system: upgrade the package or image that it belongs to.`)
    }
    return problem(`${program} cannot be replaced by user ${userName(process.geteuid?.() ?? 0)}: sudo ${again}`)
  }
}

/** Disposing it deletes the file. Those of killed processes are deleted here. */
export function startDraft(
  program: string,
): (Disposable & { readonly kind: 'draft'; readonly path: string }) | Problem {
  const prefix = `${basename(program)}.new-`
  for (const name of readdirSync(dirname(program)).filter((each) => each.startsWith(prefix))) {
    const pid = Number.parseInt(name.slice(prefix.length), 10)
    if (isAlive(pid)) return problem(`Process ${pid} is upgrading ${program}: wait for it to end.`)
    rmSync(join(dirname(program), name), { force: true })
  }
  const path = `${program}.new-${process.pid}`
  const erase = () => [path, `${path}.part`].forEach((each) => rmSync(each, { force: true }))
  return { kind: 'draft', path, [Symbol.dispose]: erase }
}

function isAlive(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

export async function blake2b512Of(path: string): Promise<Uint8Array> {
  const hasher = new Bun.CryptoHasher('blake2b512')
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk)
  return hasher.digest()
}

/** Runs `version --json` of an executable. */
export function programFacts(path: string): ProgramFacts | Problem {
  let reason: string
  try {
    const { stdout, exitCode } = Bun.spawnSync([path, 'version', '--json'], { timeout: PROBE_MS, stderr: 'ignore' })
    const { version, schema } = parseJsonObject(stdout.toString()) ?? {}
    if (typeof version === 'string' && typeof schema === 'number') return { kind: 'facts', release: version, schema }
    reason = `exit code ${exitCode}`
  } catch (error) {
    reason = codeOf(error) ?? String(error)
  }
  return problem(`The executable does not run on this machine (version --json: ${reason}). Nothing was changed.`)
}

export function makeLike(program: string, draft: string): void {
  const { uid, gid, mode } = statSync(program)
  if (process.geteuid?.() === 0) chownSync(draft, uid, gid)
  chmodSync(draft, mode & 0o7777)
}

export function beforeName(program: string): string {
  return `${program}.before`
}

/** Keeps the old one as `.before`. Can be repeated after a kill at any point. */
export function install(draft: string, program: string): void {
  rmSync(beforeName(program), { force: true })
  linkSync(program, beforeName(program))
  renameSync(draft, program)
  syncDirectory(dirname(program))
}

export function putProgramBack(program: string): void {
  renameSync(beforeName(program), program)
  syncDirectory(dirname(program))
}
