import { startGateway } from '../gateway/gateway.ts'
import type { BenchGateway } from '../gateway/gateway.ts'
import { median } from '../measure/process-figures.ts'
import { finished, pushToAll } from '../measure/push-run.ts'
import type { Section } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { audienceSize } from '../setup/device-labels.ts'
import type { TagFilter } from '../setup/device-labels.ts'
import { copyOf, deviceSet, giveUsers, userOf } from '../setup/device-set.ts'
import { startServiceProcess } from '../setup/service-process.ts'
import type { ServiceProcess } from '../setup/service-process.ts'

const RARE: TagFilter = { tags: ['rare'] }

/** A push's maximum. */
const USERS = 10_000

const FILTERS: readonly { readonly name: string; readonly filter: TagFilter }[] = [
  { name: 'tags rare', filter: RARE },
  { name: 'tags group-7, except segment-57', filter: { tags: ['group-7'], except_tags: ['segment-57'] } },
  { name: 'tags common and segment-57', filter: { tags: ['common', 'segment-57'], tags_match: 'all' } },
]

/** From a push to a few of many devices to its first and last request at the gateway. */
export async function targetSection(context: BenchContext): Promise<Section> {
  const count = context.quick ? 100_000 : 1_000_000
  const pushes = context.quick ? 5 : 20
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway())
  const devices = opened.use(copyOf(deviceSet(context.folder, count)))
  giveUsers(devices)
  const service = opened.use(await startServiceProcess({ binary: context.binary, devices, gateway }))

  // The first push opens the connection and reads from a cold cache; a few more warm up the rest.
  const cold = await timedPush(service, gateway, RARE, audienceSize(RARE, count))
  for (const { filter } of FILTERS) await timedPush(service, gateway, filter, audienceSize(filter, count))

  // Evenly spread.
  const users = Array.from({ length: USERS }, (_, n) => userOf(1 + Math.floor((n * count) / USERS)))
  const kinds = [
    ...FILTERS.map(({ name, filter }) => ({ name, filter, size: audienceSize(filter, count) })),
    { name: `users, ${USERS} names`, filter: { users }, size: USERS },
  ]
  const rows = []
  for (const { name, filter, size } of kinds) {
    context.say(name)
    const times: Times[] = []
    for (let n = 0; n < pushes; n++) times.push(await timedPush(service, gateway, filter, size))
    const [firstMs, lastMs] = [times.map((one) => one.firstMs), times.map((one) => one.lastMs)]
    rows.push({ name, values: { devices: [size], firstMs, lastMs } })
  }
  return {
    title: 'Target',
    conditions: `Conditional pushes among ${count} devices, ${pushes} of each kind one after the other, from the moment the POST is sent; the gateway must count exactly the devices that match.`,
    columns: [
      { key: 'devices', label: 'devices', digits: 0 },
      { key: 'firstMs', label: 'first request ms', digits: 1 },
      { key: 'lastMs', label: 'last request ms', digits: 1 },
    ],
    rows: [{ name: 'tags rare, first push after the start', values: coldValues(cold, RARE, count) }, ...rows],
    notes: [],
    targets: [
      {
        what: `push to ${audienceSize(RARE, count)} of ${count}: POST to first request`,
        value: median(rows[0]?.values.firstMs ?? []),
        unit: 'ms',
        digits: 1,
        better: 'less',
        required: 3.5,
        aim: 2,
      },
      {
        what: `push to ${USERS} users of ${count}: POST to first request`,
        value: median(rows.at(-1)?.values.firstMs ?? []),
        unit: 'ms',
        digits: 1,
        better: 'less',
        required: 10,
        aim: 10,
      },
    ],
  }
}

/** Ms from the POST. */
interface Times {
  readonly firstMs: number
  readonly lastMs: number
}

async function timedPush(service: ServiceProcess, gateway: BenchGateway, filter: object, size: number): Promise<Times> {
  await gateway.reset()
  const push = await pushToAll(service, filter)
  await finished(service, push, size, 5)
  const { requests, firstMs, lastMs } = await gateway.report()
  if (requests !== size || firstMs === null || lastMs === null) {
    throw new Error(`${JSON.stringify(filter).slice(0, 100)}: ${requests} requests for ${size} devices`)
  }
  return { firstMs: firstMs - push.postedAtMs, lastMs: lastMs - push.postedAtMs }
}

function coldValues({ firstMs, lastMs }: Times, filter: TagFilter, count: number): Record<string, number[]> {
  return { devices: [audienceSize(filter, count)], firstMs: [firstMs], lastMs: [lastMs] }
}
