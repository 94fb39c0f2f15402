import { makeCalls } from '../measure/calls.ts'
import type { CallKind } from '../measure/load-plan.ts'
import { median } from '../measure/process-figures.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Contender } from '../measure/rounds.ts'
import type { Section } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'
import { CONNECTIONS } from './register.ts'

/** A batch's maximum. */
const BATCH = 500

/** For a backend that sends batches one by one. */
const BATCH_CONNECTIONS = 4

const SINGLE_CALL: CallKind = {
  name: 'single',
  method: 'PUT',
  path: '/deviceToken',
  body: '{"token":"$token","platform":"0","tag":["common"]}',
  status: 201,
}

const BATCH_CALL: CallKind = {
  name: 'batch',
  method: 'PUT',
  path: '/deviceToken/batch',
  body: `{"tokens":$tokens*${BATCH},"platform":"0","tags":["common"]}`,
  status: 201,
}

/** Far from the devices of single calls. */
const FIRST_BATCH = 100_000

export async function batchSection(context: BenchContext): Promise<Section> {
  const [singles, batches] = context.quick ? [3000, 20] : [20_000, 160]
  await using opened = new AsyncDisposableStack()
  const devices = opened.use(copyOf(deviceSet(context.folder, 0)))
  const server = opened.use(await startServiceProcess({ binary: context.binary, devices }))
  const { headers } = server
  const contenders: Contender[] = [
    {
      name: 'one device a call',
      async run(round) {
        const plan = { connections: CONNECTIONS, kind: SINGLE_CALL, calls: singles, from: round * singles }
        const { perSecond, cpuUs } = (await makeCalls({ server, headers, ...plan })).values
        return { perSecond, cpuUs }
      },
    },
    {
      name: `${BATCH} devices a call`,
      async run(round) {
        const from = FIRST_BATCH + round * batches
        const plan = { connections: BATCH_CONNECTIONS, kind: BATCH_CALL, calls: batches, from }
        const { perSecond, cpuUs } = (await makeCalls({ server, headers, ...plan })).values
        return { perSecond: perSecond * BATCH, cpuUs: cpuUs / BATCH }
      },
    },
  ]
  for (const each of contenders) await each.run(0)
  const rows = await inRounds(contenders, context.rounds, context.say)
  const [single, batch] = rows.map(({ values }) => median(values['perSecond'] ?? []))
  return {
    title: 'Batch',
    conditions: `New devices with a tag: ${singles} calls of PUT /deviceToken a round over ${CONNECTIONS} keep-alive connections, and ${batches} of PUT /deviceToken/batch over ${BATCH_CONNECTIONS}; all answered when they are durable.`,
    columns: [
      { key: 'perSecond', label: 'devices/s', digits: 0 },
      { key: 'cpuUs', label: 'CPU µs a device', digits: 1 },
    ],
    rows,
    notes: [],
    targets: [
      {
        what: 'registrations by batch, against single calls',
        value: (batch ?? Number.NaN) / (single ?? Number.NaN),
        unit: '×',
        digits: 1,
        better: 'more',
        required: 6,
        aim: 10,
      },
    ],
  }
}
