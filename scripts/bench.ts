// Compares the compiled service with other senders on this machine, in turns, and prints Markdown. Only ratios are
// comparable between machines.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { conditionsOf } from './benchmark/report/conditions.ts'
import { barPicture } from './benchmark/report/picture.ts'
import { markdownReport } from './benchmark/report/report.ts'
import type { Section } from './benchmark/report/result.ts'
import { batchSection } from './benchmark/sections/batch.ts'
import { applicationsSection, badgeSection, languagesSection } from './benchmark/sections/broadcast.ts'
import { browsersSection } from './benchmark/sections/browsers.ts'
import { crowdSection } from './benchmark/sections/crowd.ts'
import { fcmSection } from './benchmark/sections/fcm.ts'
import { growthSection } from './benchmark/sections/growth.ts'
import { importSection } from './benchmark/sections/import.ts'
import { latencySection } from './benchmark/sections/latency.ts'
import { liveSection } from './benchmark/sections/live.ts'
import { memorySection } from './benchmark/sections/memory.ts'
import { oneSection } from './benchmark/sections/one.ts'
import { launchSection, registerSection } from './benchmark/sections/register.ts'
import { sendSection } from './benchmark/sections/send.ts'
import { signInSection } from './benchmark/sections/sign-in.ts'
import { targetSection } from './benchmark/sections/target.ts'
import { waitingSection } from './benchmark/sections/waiting.ts'
import { watchedSection } from './benchmark/sections/watched.ts'
import { compiledService } from './benchmark/setup/compiled-service.ts'
import type { BenchContext } from './benchmark/setup/context.ts'

const HELP = `Usage: scripts/bench [--quick] [--only NAME,…] [--rounds N] [--output FOLDER]

  --quick          fewer devices, one round: in under a minute, whether everything works
  --only NAME,…    only these parts, of: send, fcm, browsers, badge, languages, applications, memory, register, launch,
                   batch, one, waiting, import, crowd, target, live, growth, latency, watched, signin
  --rounds N       how often each contender has its turn (default 5; with --quick 1)
  --output FOLDER  where results.md and results.svg go (default scripts/benchmark/results after a whole run, and
                   nowhere after --quick or --only)

The tables go to standard output, how far it is to standard error. Exits with 1 when a part failed.`

const PARTS: Readonly<Record<string, (context: BenchContext) => Promise<Section>>> = {
  send: sendSection,
  fcm: fcmSection,
  browsers: browsersSection,
  badge: badgeSection,
  languages: languagesSection,
  applications: applicationsSection,
  memory: memorySection,
  register: registerSection,
  launch: launchSection,
  batch: batchSection,
  one: oneSection,
  waiting: waitingSection,
  import: importSection,
  crowd: crowdSection,
  target: targetSection,
  live: liveSection,
  growth: growthSection,
  latency: latencySection,
  watched: watchedSection,
  signin: signInSection,
}

const PICTURE = {
  title: `Pushes a second, sender and gateway on ${availableParallelism()} cores`,
  caption: 'Bellhop reads each device from its database and stores each outcome. The others only send.',
}

const ROUGH = ['run', '--quick: with so few devices, whether a goal is reached is a guess'] as const

const { quick, rounds, chosen, output } = readArguments()
const folder = mkdtempSync(join(tmpdir(), 'bellhop-bench-'))
// Temporary folders of the parts disappear with this one.
process.env['TMPDIR'] = folder
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

const say = (line: string): void => console.error(`${(performance.now() / 1000).toFixed(0).padStart(5)} s  ${line}`)
const context: BenchContext = { quick, rounds, binary: compiledService(say), say, folder }
const conditions = [...(await conditionsOf(new Date())), ...(quick ? [ROUGH] : [])]
const sections: Section[] = []
const failures: { name: string; why: string }[] = []
for (const [name, measure] of chosen) {
  say(name)
  try {
    sections.push(await measure(context))
  } catch (error) {
    say(`${name} failed`)
    console.error(error)
    failures.push({ name, why: error instanceof Error ? error.message : String(error) })
  }
  // After each part: a whole run takes half an hour and may be stopped early.
  if (output !== null) await write(output)
}

console.log(report())
process.exit(failures.length === 0 ? 0 : 1)

function report(): string {
  return markdownReport({ conditions, sections, failures })
}

async function write(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await Bun.write(join(folder, 'results.md'), report())
  const send = sections.find(({ title }) => title === 'Send')
  if (send !== undefined) await Bun.write(join(folder, 'results.svg'), barPicture(send, 'perSecond', PICTURE))
}

function readArguments() {
  const { values } = parse()
  if (values.help) {
    console.log(HELP)
    process.exit(0)
  }
  const names = values.only?.split(',') ?? Object.keys(PARTS)
  const unknown = names.filter((name) => !Object.hasOwn(PARTS, name))
  if (unknown.length > 0) refuse(`--only ${unknown.join(',')}: there are ${Object.keys(PARTS).join(', ')}.`)
  const quick = values.quick
  const rounds = Number(values.rounds ?? (quick ? 1 : 5))
  if (!Number.isSafeInteger(rounds) || rounds < 1) refuse(`--rounds ${values.rounds}: a whole number from 1.`)
  const whole = !quick && values.only === undefined
  const output = values.output ?? (whole ? join(import.meta.dir, 'benchmark/results') : null)
  return { quick, rounds, chosen: Object.entries(PARTS).filter(([name]) => names.includes(name)), output }
}

function parse() {
  try {
    return parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        rounds: { type: 'string' },
        output: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

function refuse(why: string): never {
  console.error(`${why}\nSee --help.`)
  process.exit(2)
}
