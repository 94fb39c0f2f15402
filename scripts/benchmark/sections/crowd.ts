import { makeCalls } from '../measure/calls.ts'
import { median } from '../measure/process-figures.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Contender } from '../measure/rounds.ts'
import type { Section } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'
import { CONNECTIONS, FIRST_LAUNCH } from './register.ts'

/** A registration among many devices against one among few. */
export async function crowdSection(context: BenchContext): Promise<Section> {
  const [few, many] = context.quick ? [5000, 100_000] : [10_000, 5_000_000]
  const calls = context.quick ? 2000 : 20_000
  await using opened = new AsyncDisposableStack()
  const contenders: Contender[] = []
  for (const count of [few, many]) {
    context.say(`${count} devices: preparing`)
    const devices = opened.use(copyOf(deviceSet(context.folder, count)))
    const server = opened.use(await startServiceProcess({ binary: context.binary, devices }))
    const { headers } = server
    contenders.push({
      name: `among ${count} devices`,
      async run(round) {
        const plan = { connections: CONNECTIONS, kind: FIRST_LAUNCH, calls, from: count + round * calls }
        const { perSecond, cpuUs } = (await makeCalls({ server, headers, ...plan })).values
        return { perSecond, cpuUs }
      },
    })
  }
  for (const each of contenders) await each.run(0)
  const rows = await inRounds(contenders, context.rounds, context.say)
  const [amongFew, amongMany] = rows.map(({ values }) => median(values['cpuUs'] ?? []))
  return {
    title: 'Crowd',
    conditions: `Registrations of new devices as in "Register", ${calls} a round, with ${few} and with ${many} devices there before.`,
    columns: [
      { key: 'perSecond', label: 'calls/s', digits: 0 },
      { key: 'cpuUs', label: 'CPU µs a call', digits: 1 },
    ],
    rows,
    notes: [],
    targets: [
      {
        what: `CPU a registration, ${many} devices against ${few}`,
        value: (amongMany ?? Number.NaN) / (amongFew ?? Number.NaN),
        unit: '×',
        digits: 2,
        better: 'less',
        required: 1.35,
        aim: 1.1,
      },
    ],
  }
}
