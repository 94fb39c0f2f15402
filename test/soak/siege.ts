import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { quantile } from '../../scripts/benchmark/measure/quantile.ts'
import { openTarget } from '../fuzz/target.ts'
import { backendHeaders, endOf, limited } from '../support/service-process.ts'
import type { Program } from '../support/service-process.ts'

/* 20,000 idle connections from one address and from 200 must not hold up calls or the admin side. */
const CROWD = 20_000
const PROCESSES = 8
const SECONDS = 15
const PATIENCE_MS = 10_000
const CROWD_PROGRAM = join(import.meta.dir, 'idle-crowd.ts')

/** Open files allowed, and addresses of the crowd. */
const SIEGES = [1024, 65_536].flatMap((files) => [1, 200].map((addresses) => ({ files, addresses })))

interface Outcome {
  readonly statuses: Map<string, number>
  readonly ms: number[]
}

/** Resolves with the findings. */
export async function runSieges(program: Program, say: (line: string) => void): Promise<readonly string[]> {
  const findings: string[] = []
  for (const { files, addresses } of SIEGES) {
    const hard = Number((await endOf(['sh', '-c', 'ulimit -H -n'])).stdout.trim())
    const allowed = Number.isNaN(hard) ? files : Math.min(files, hard)
    const name = `${allowed} files, ${CROWD} connections from ${addresses}`
    const { outcomes, peak, exitCode } = await siege(program, allowed, addresses)
    if (exitCode !== null) findings.push(`${name}: the service ended with ${exitCode}`)
    say(`${name}: at most ${peak} files open`)
    for (const [what, { statuses, ms }] of outcomes) {
      const counts = Array.from(statuses, ([status, count]) => `${count} × ${status}`).join(', ')
      say(`  ${what}: ${counts}; median ${quantile(ms, 0.5).toFixed(0)} ms, 99 % ${quantile(ms, 0.99).toFixed(0)} ms`)
      const bad = [...statuses.keys()].filter((status) => !/^20[01]$/.test(status))
      if (bad.length > 0) findings.push(`${name}: ${what}: ${counts}`)
    }
  }
  return findings
}

async function siege({ command, compiled }: Program, files: number, addresses: number) {
  await using target = await openTarget({ command: [...limited('-n', files), ...command], compiled })
  const { url, adminUrl } = target
  const crowd = Array.from({ length: PROCESSES }, (_, n) => {
    const share = CROWD / PROCESSES
    const order = [new URL(url).port, share, n * share, addresses].map(String)
    return Bun.spawn([process.execPath, CROWD_PROGRAM, ...order], { stdout: 'ignore', stderr: 'ignore' })
  })
  const headers = { ...backendHeaders(target.application), connection: 'close' }
  const outcomes = new Map<string, Outcome>()
  const end = performance.now() + SECONDS * 1000
  let peak = 0

  /** Calls repeatedly, each time on a new connection. */
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
      peak = Math.max(peak, openFilesOf(target.pid))
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
    calls('admin', `${adminUrl}/readyz`, () => ({})),
  ])
  const { exitCode } = target
  for (const child of crowd) child.kill('SIGKILL')
  return { outcomes, peak, exitCode }
}

function openFilesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}
