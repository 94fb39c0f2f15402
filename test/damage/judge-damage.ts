import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage } from '../../src/cli/error-message.ts'
import { startRefusalOf } from '../../src/database/storage-errors.ts'
import { createLog } from '../../src/log.ts'
import { createServer } from '../../src/server/server.ts'
import { parseConfig } from '../../src/settings/parse.ts'
import { readSystemFile } from '../../src/system/read-file.ts'
import { commandLine } from '../cli/command-line.ts'
import { APPLICATION } from '../support/old-database.ts'
import { backendHeaders } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import type { Damage } from './corpus.ts'

export interface Consequence {
  readonly serve: 'refused' | 'served' | 'served what is whole'
  /** Why it was refused. */
  readonly sentence: string | null
  /** Violations. */
  readonly findings: readonly string[]
}

/** Limit for a call or stop, in ms. */
const HANGS_MS = 30_000

const CALLS: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['PUT', '/deviceToken', { token: 'new', platform: 1, tag: ['news'], alias: 'nora' }],
  ['GET', '/deviceToken/all'],
  ['POST', '/push/all', { platform: [0, 1], msg: 'Hello', sound: '', badge: '' }],
  ['POST', '/push/all', { platform: [0, 1], msg: 'Hello', sound: '', badge: '', tags: ['vip'] }],
  ['GET', '/analytics'],
  ['GET', '/feedback'],
  ['GET', '/stats'],
]

const COMMANDS: readonly (readonly string[])[] = [
  ['app', 'list'],
  ['devices', 'Old Shop'],
  ['backup', 'BACKUPS/'],
  ['pushes', 'Old Shop'],
  ['doctor', '--offline', '--full'],
  ['export', 'Old Shop', 'BACKUPS.jsonl'],
  ['app', 'create', 'New Shop'],
  ['compact'],
  ['key', 'rotate'],
]

/**
 * Serves and runs commands on a damaged copy of `sound`: each must work, or name the problem in a sentence. `quick`:
 * serves once, with fewer commands.
 */
export async function judgeDamage(sound: string, damage: Damage, quick = false): Promise<Consequence> {
  using directory = temporaryDirectory('bellhop-damage')
  const findings: string[] = []
  const broken = (error: unknown) => void findings.push(`unhandled: ${describe(error)}`)
  process.on('unhandledRejection', broken)
  process.on('uncaughtException', broken)
  try {
    const data = join(directory.path, 'data')
    const again = join(directory.path, 'again')
    cpSync(sound, data, { recursive: true })
    damage.apply(data)
    cpSync(data, again, { recursive: true })
    const served = await serve(data, findings)
    if (!quick) {
      // Serving must not cause further damage.
      const second = await serve(data, findings)
      if (served.serve !== 'refused' && second.serve === 'refused') findings.push(`then refused: ${second.sentence}`)
    }
    for (const command of COMMANDS.slice(0, quick ? 3 : COMMANDS.length)) await runCommand(command, again, findings)
    return { ...served, findings: [...new Set(findings)] }
  } finally {
    process.off('unhandledRejection', broken)
    process.off('uncaughtException', broken)
  }
}

async function serve(data: string, findings: string[]): Promise<Omit<Consequence, 'findings'>> {
  const argv = ['--data', data, '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0', '--drain-seconds', '1']
  const parsed = parseConfig(argv, {}, readSystemFile)
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'))
  const lines: { level: string; event: string; error?: string }[] = []
  const log = createLog('info', Date.now, (line) => void lines.push(JSON.parse(line)))
  const server = await createServer(parsed.config, { log }).catch((error: unknown) => startRefusalOf(error, data))
  if (server instanceof Error || !isServer(server)) {
    const sentence = errorMessage(server)
    if (sentence === null) findings.push(`serve: ${describe(server)}`)
    return { serve: 'refused', sentence }
  }
  let failed = 0
  for (const [method, path, body] of CALLS) {
    const answer = await call(server.url + path, method, body)
    if (answer === null) findings.push(`${method} ${path} was not answered`)
    else if (answer.status >= 500) failed++
    if (answer !== null && answer.status >= 500 && !/Internal error\. Support ID /.test(answer.text))
      findings.push(`${method} ${path}: ${answer.status} ${answer.text}`)
  }
  const metrics = await call(`${server.adminUrl}/metrics`, 'GET')
  const readyz = await call(`${server.adminUrl}/readyz?probe`, 'GET')
  const said = lines.some(({ event }) => / is damaged\. Stop Bellhop /.test(event))
  if (metrics?.status !== 200) findings.push(`/metrics: ${metrics?.status} ${metrics?.text}`)
  // A missing row breaks references, which is logged. Only integrity_check finds more.
  if (failed > 0 && !lines.some(({ level }) => level === 'error'))
    findings.push(`${failed} calls failed, and nobody was told`)
  if (said && readyz?.status !== 503) findings.push(`/readyz: ${readyz?.status} ${readyz?.text}`)
  const stopped = await Promise.race([server[Symbol.asyncDispose]().then(() => true), Bun.sleep(HANGS_MS)]).catch(
    (error: unknown) => describe(error),
  )
  if (stopped !== true) findings.push(`it does not stop: ${String(stopped)}`)
  return { serve: failed > 0 || said ? 'served what is whole' : 'served', sentence: null }
}

function isServer(value: unknown): value is Awaited<ReturnType<typeof createServer>> {
  return typeof value === 'object' && value !== null && 'adminUrl' in value
}

async function call(url: string, method: string, body?: object) {
  try {
    const answer = await fetch(url, {
      method,
      headers: backendHeaders(APPLICATION),
      keepalive: false,
      signal: AbortSignal.timeout(HANGS_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  } catch {
    return null
  }
}

/** No command affects the next: on a sound database, or because each reports the damage. */
async function runCommand(argv: readonly string[], data: string, findings: string[]): Promise<void> {
  using line = commandLine()
  const words = argv.map((word) => word.replace(/^BACKUPS/, join(data, '..', 'backups')))
  try {
    const { exitCode, stderr, stdout } = await line.run(words, { BELLHOP_DATA: data })
    const doctor = argv[0] === 'doctor' && stdout !== ''
    if (exitCode !== 0 && !doctor && !/^bellhop: .*[.?!)]\n$/ms.test(stderr)) {
      findings.push(`${argv.join(' ')} ended with ${exitCode}: ${stderr || stdout}`)
    }
    if (/\n\s+at /.test(stderr + stdout)) findings.push(`${argv.join(' ')} shows a stack: ${stderr + stdout}`)
  } catch (error) {
    findings.push(`${argv.join(' ')}: ${describe(error)}`)
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message).slice(0, 800) : String(error)
}
