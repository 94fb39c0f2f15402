import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programOf, runCommand } from '../faults/stage/service.ts'
import type { Program } from '../faults/stage/service.ts'

/* 20,000 idle connections from one address, and from 200: calls and the admin side go on. */
const CROWD = 20_000
const PROCESSES = 8
const SECONDS = 15
const PATIENCE_MS = 10_000
const CROWD_PROGRAM = join(import.meta.dir, 'idle-crowd.ts')

/** Files that the service may have open, and addresses of the crowd. */
const SIEGES = [1024, 65_536].flatMap((files) => [1, 200].map((addresses) => ({ files, addresses })))

interface Outcome {
  readonly statuses: Map<string, number>
  readonly ms: number[]
}

/** Resolves with what was found. */
export async function runSieges(binary: string | null, say: (line: string) => void): Promise<readonly string[]> {
  const findings: string[] = []
  for (const { files, addresses } of SIEGES) {
    const hard = Number((await text(['sh', '-c', 'ulimit -H -n'])).trim())
    const allowed = Number.isNaN(hard) ? files : Math.min(files, hard)
    const name = `${allowed} files, ${CROWD} connections from ${addresses}`
    const { outcomes, peak, exitCode } = await siege(programOf(binary), allowed, addresses)
    if (exitCode !== null) findings.push(`${name}: the service ended with ${exitCode}`)
    say(`${name}: at most ${peak} files open`)
    for (const [what, { statuses, ms }] of outcomes) {
      const sorted = ms.toSorted((a, b) => a - b)
      const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0)
      const counts = Array.from(statuses, ([status, count]) => `${count} × ${status}`).join(', ')
      say(`  ${what}: ${counts}; median ${at(0.5)} ms, 99 % ${at(0.99)} ms`)
      const bad = [...statuses.keys()].filter((status) => !/^20[01]$/.test(status))
      if (bad.length > 0) findings.push(`${name}: ${what}: ${counts}`)
    }
  }
  return findings
}

async function siege(program: Program, files: number, addresses: number) {
  const data = join(mkdtempSync(join(tmpdir(), 'bellhop-siege-')), 'data')
  const app = JSON.parse(await runCommand(program, ['app', 'create', 'shop', '--json', '--data', data]))
  await runCommand(program, ['app', 'simulate', 'shop', '--data', data])
  await runCommand(program, ['app', 'limits', 'shop', '--rate', '0', '--backend-rate', '0', '--data', data])
  const addressFlags = ['--listen=127.0.0.1:0', '--admin-listen=127.0.0.1:0']
  const serve = [...program.command, 'serve', `--data=${data}`, ...addressFlags]
  const service = Bun.spawn(['sh', '-c', `ulimit -n ${files}; exec "$@"`, 'sh', ...serve], {
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let said = ''
  for await (const chunk of service.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.includes('\n')) break
  }
  const [, url = '', admin = ''] = /^ready (http:\S+) admin (http:\S+)\n/.exec(said) ?? []
  const crowd = Array.from({ length: PROCESSES }, (_, n) => {
    const share = CROWD / PROCESSES
    const order = [new URL(url).port, share, n * share, addresses].map(String)
    return Bun.spawn([process.execPath, CROWD_PROGRAM, ...order], { stdout: 'ignore', stderr: 'ignore' })
  })
  const headers = {
    'accept-version': '1',
    'content-type': 'application/json',
    'x-service-appid': app.id,
    'x-service-secret': app.secret,
    connection: 'close',
  }
  const outcomes = new Map<string, Outcome>()
  const end = performance.now() + SECONDS * 1000
  let peak = 0

  /** Calls again and again, each on a connection of its own. */
  async function calls(what: string, address: string, init: (n: number) => RequestInit): Promise<void> {
    const outcome: Outcome = outcomes.get(what) ?? { statuses: new Map(), ms: [] }
    outcomes.set(what, outcome)
    for (let n = 0; performance.now() < end; n++) {
      const began = performance.now()
      const status = await fetch(address, { ...init(n), headers, signal: AbortSignal.timeout(PATIENCE_MS) }).then(
        async (answer) => (await answer.arrayBuffer(), String(answer.status)),
        (error: unknown) => (error instanceof Error ? error.name : String(error)),
      )
      outcome.statuses.set(status, (outcome.statuses.get(status) ?? 0) + 1)
      outcome.ms.push(performance.now() - began)
      peak = Math.max(peak, openFilesOf(service.pid))
    }
  }
  const token = (n: number, caller: number) => (caller * 1_000_000 + n).toString(16).padStart(64, '0')
  const put = (caller: number) => (n: number) => ({
    method: 'PUT',
    body: JSON.stringify({ token: token(n, caller), platform: '0' }),
  })
  const message = JSON.stringify({ token: token(0, 0), msg: 'Hello', sound: '', badge: '', platform: 0 })
  await Promise.all([
    ...[0, 1, 2, 3].map((caller) => calls('registrations', `${url}/deviceToken`, put(caller))),
    calls('pushes', `${url}/push/one`, () => ({ method: 'POST', body: message })),
    calls('admin', `${admin}/readyz`, () => ({})),
  ])
  const { exitCode } = service
  for (const child of [...crowd, service]) child.kill('SIGKILL')
  await service.exited
  rmSync(join(data, '..'), { recursive: true, force: true })
  return { outcomes, peak, exitCode }
}

function openFilesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

async function text(command: readonly string[]): Promise<string> {
  return new Response(Bun.spawn([...command], { stdout: 'pipe' }).stdout).text()
}
