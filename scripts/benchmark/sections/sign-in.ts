import { runLoad } from '../measure/load-plan.ts'
import type { CallKind } from '../measure/load-plan.ts'
import { median } from '../measure/process-figures.ts'
import type { Section } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'

/** Calls of apps a second. */
const PER_SECOND = 200

const CONNECTIONS = 64

/** Concurrent passwords, each from another network and for another name. */
const TRIES = 300

/** Of one window; the tries come half a second after its start. */
const WINDOW_SECONDS = 10

/** A later launch of a registered app. */
const LAUNCH: CallKind = {
  name: 'PUT /deviceToken',
  method: 'PUT',
  path: '/deviceToken',
  body: '{"token":"$token","platform":"0","tag":["common","group-$n%50","segment-$n%1000"]}',
  status: 200,
}

/** What apps notice while someone tries admin passwords as fast as possible. */
export async function signInSection(context: BenchContext): Promise<Section> {
  const count = 10_000
  const calls = PER_SECOND * WINDOW_SECONDS
  const rounds = context.quick ? 1 : 2 * context.rounds
  const [alone, flooded, ratios]: [Times, Times, number[]] = [newTimes(), newTimes(), []]
  const answers = { checked: [] as number[], refused: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    context.say(`round ${round + 1} of ${rounds}`)
    // A new service each time: earlier tries count.
    using devices = copyOf(deviceSet(context.folder, count))
    const flags = ['--trusted-proxies=127.0.0.1']
    await using service = await startServiceProcess({ binary: context.binary, devices, flags })
    const { url, headers, adminUrl } = service
    const plan = { url, headers, connections: CONNECTIONS, perSecond: PER_SECOND, kinds: [LAUNCH], calls }
    await runLoad({ ...plan, from: 0 })
    const window = async (times: Times): Promise<number> => {
      const { kinds } = await runLoad({ ...plan, from: calls })
      const { p50Ms = Number.NaN, p99Ms = Number.NaN, maxMs = Number.NaN } = kinds[LAUNCH.name] ?? {}
      times.p50Ms.push(p50Ms)
      times.p99Ms.push(p99Ms)
      times.maxMs.push(maxMs)
      return p99Ms
    }
    const without = await window(alone)
    const [during, statuses] = await Promise.all([window(flooded), flood(adminUrl)])
    ratios.push(during / without)
    answers.checked.push(statuses.filter((status) => status === 401).length)
    answers.refused.push(statuses.filter((status) => status === 429).length)
  }
  return {
    title: 'Sign-in',
    conditions: `${PER_SECOND} calls a second on a schedule by ${count} devices that are registered, for ${WINDOW_SECONDS} s, alone and while ${TRIES} wrong passwords are tried at once at the admin side, each from another network and at another name. Times are counted from when a call was due; the ratio is the median of those of the rounds.`,
    columns: [
      { key: 'p50Ms', label: 'p50 ms', digits: 2 },
      { key: 'p99Ms', label: 'p99 ms', digits: 2 },
      { key: 'maxMs', label: 'worst ms', digits: 1 },
      { key: 'checked', label: 'passwords checked', digits: 0 },
      { key: 'refused', label: '429', digits: 0 },
    ],
    rows: [
      { name: 'alone', values: { ...alone } },
      { name: 'while passwords are tried', role: 'service', values: { ...flooded, ...answers } },
    ],
    notes: [],
    targets: [
      {
        what: 'p99 of a launch while passwords are tried, beside without',
        value: median(ratios),
        unit: '×',
        digits: 2,
        better: 'less',
        required: 2,
        aim: 1.5,
      },
    ],
  }
}

type Times = Record<'p50Ms' | 'p99Ms' | 'maxMs', number[]>

const newTimes = (): Times => ({ p50Ms: [], p99Ms: [], maxMs: [] })

/** Statuses of the tries. */
async function flood(adminUrl: string): Promise<readonly number[]> {
  // The load starts a process first.
  await Bun.sleep(500)
  return Promise.all(Array.from({ length: TRIES }, (_, n) => tryPassword(adminUrl, n)))
}

async function tryPassword(adminUrl: string, n: number): Promise<number> {
  const response = await fetch(`${adminUrl}/api/session`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `10.0.${n >> 8}.${n & 255}`,
    },
    body: JSON.stringify({ name: `name ${n}`, password: 'a wrong password' }),
  })
  await response.arrayBuffer()
  return response.status
}
