import { startBroadcaster } from '../contenders/broadcaster.ts'
import { startGateway } from '../gateway/gateway.ts'
import type { BenchGateway } from '../gateway/gateway.ts'
import { median } from '../measure/process-figures.ts'
import { pushToAll } from '../measure/push-run.ts'
import { inRounds } from '../measure/rounds.ts'
import type { Contender } from '../measure/rounds.ts'
import { timedBroadcast } from '../measure/timed-broadcast.ts'
import type { Section } from '../report/result.ts'
import type { BenchContext } from '../setup/context.ts'
import { copyOf, deviceSet, giveApplications, giveLocales, LOCALES } from '../setup/device-set.ts'
import { ofApplication, startServiceProcess } from '../setup/service-process.ts'

const APPLICATIONS = 5

/** With and without counting up badges. */
export async function badgeSection(context: BenchContext): Promise<Section> {
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway())
  const broadcaster = opened.use(await startBroadcaster(context, gateway, countIn(context)))
  const counting = { name: 'with a badge of +1', run: () => broadcaster.broadcast({ badge: '+1' }) }
  return await besidePlain(context, counting, () => broadcaster.broadcast(), {
    title: 'Badge',
    conditions: 'with a badge of "+1", which is stored with each device, and without one, by one process in turns',
  })
}

/** One text against a text for each of three languages. */
export async function languagesSection(context: BenchContext): Promise<Section> {
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway())
  const broadcaster = opened.use(await startBroadcaster(context, gateway, countIn(context), giveLocales))
  const languages = Object.fromEntries(LOCALES.map((locale) => [locale, { msg: `Hello in ${locale}` }]))
  const translated = { name: `in ${LOCALES.length} languages`, run: () => broadcaster.broadcast({ languages }) }
  return await besidePlain(context, translated, () => broadcaster.broadcast(), {
    title: 'Languages',
    conditions: `with a text for each of ${LOCALES.length} languages, which devices have in turns, and with one text, by one process in turns`,
  })
}

/** Five applications at once against one with as many devices. */
export async function applicationsSection(context: BenchContext): Promise<Section> {
  const count = countIn(context)
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await startGateway())
  const plain = opened.use(await startBroadcaster(context, gateway, count))
  const broadcast = await startApplications(context, gateway, opened)
  return await besidePlain(
    context,
    { name: `${APPLICATIONS} applications at once`, run: broadcast },
    () => plain.broadcast(),
    {
      title: 'Applications',
      conditions: `of ${APPLICATIONS} applications at once, a fifth of the devices each, and of one application, by a process each in turns`,
    },
  )
}

async function startApplications(
  context: BenchContext,
  gateway: BenchGateway,
  opened: AsyncDisposableStack,
): Promise<() => ReturnType<typeof timedBroadcast>> {
  const count = countIn(context)
  const devices = opened.use(copyOf(deviceSet(context.folder, count / APPLICATIONS)))
  const applications = [devices, ...giveApplications(devices, APPLICATIONS - 1)]
  const service = opened.use(await startServiceProcess({ binary: context.binary, devices, gateway }))
  const each = applications.map((application) => ofApplication(service, application))
  const begin = () => Promise.all(each.map((one) => pushToAll(one)))
  return () => timedBroadcast({ service, gateway, count, begin })
}

function countIn({ quick }: BenchContext): number {
  return quick ? 20_000 : 100_000
}

async function besidePlain(
  context: BenchContext,
  special: Contender,
  plain: () => ReturnType<Contender['run']>,
  { title, conditions }: Pick<Section, 'title' | 'conditions'>,
): Promise<Section> {
  const contenders = [{ name: 'plain', run: plain }, special]
  // Round 0 is a warm-up for the JIT compiler.
  for (const each of contenders) await each.run(0)
  const rows = await inRounds(contenders, context.rounds, context.say)
  const [usual, other] = rows.map(({ values }) => median(values['perSecond'] ?? []))
  return {
    title,
    conditions: `Broadcasts to ${countIn(context)} devices ${conditions}. Rounds: ${context.rounds}.`,
    columns: [
      { key: 'perSecond', label: 'pushes/s', digits: 0 },
      { key: 'cpuUs', label: 'CPU µs a push', digits: 1 },
      { key: 'peakMb', label: 'peak RSS MB', digits: 0 },
    ],
    rows,
    notes: [],
    targets: [
      {
        what: `broadcast ${special.name}, against a plain one`,
        value: (other ?? Number.NaN) / (usual ?? Number.NaN),
        unit: '×',
        digits: 2,
        better: 'more',
        required: 0.85,
        aim: 0.95,
      },
    ],
  }
}
