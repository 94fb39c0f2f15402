import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from '../../../src/backup/summary.ts'
import { isServed } from '../../../src/database/directory-lock.ts'
import { checkDatabase } from '../../faults/judge/database-check.ts'
import { judgeStage } from '../../faults/judge/judge-stage.ts'
import type { Api } from '../../faults/stage/api.ts'
import { registerBatch } from '../../faults/stage/crowd.ts'
import { pushesTo } from '../../faults/stage/pushes.ts'
import { keyOf } from '../../faults/stage/ledger.ts'
import { registrationsOf } from '../../faults/stage/registrations.ts'
import { settled } from '../../faults/stage/settled.ts'
import { openStage } from '../../faults/stage/stage.ts'
import type { Stage } from '../../faults/stage/stage.ts'
import type { FaultPlan } from '../fault-plan.ts'
import { rawLinesOf } from '../trial.ts'
import type { Journey, Trial } from '../trial.ts'

const SEED = 1

/** How long a push is waited for before the next step, and in the end, in ms. */
const STEP_MS = 3_000
const END_MS = 90_000

/** What is sent and not written down on a disk that takes nothing: see server-process.ts. */
const UNWRITTEN_CODE = 3

const KILLED = 137

/** Of a stop on a disk that is dead; 30 by default. */
const DRAIN_SECONDS = 3

/** What a service that cannot go on may take to end, in ms. */
const GONE_MS = 2_000

const IMPORTED = ['imported-1', 'imported-2', 'imported-3']

export const DAY: Journey = {
  name: 'day',
  what: 'a service starts, takes devices and pushes, is backed up, imported into, stopped, killed and started again',
  async run(trial) {
    const { directory, plan, template, program, accuse, command } = trial
    if (template === null) throw new Error('a day begins with a template')
    await using stage = await openStage({ template, program, seed: SEED, directory })
    await stage.registrar.stop()
    const { data, ledger, application } = stage
    const service = serviceOf(stage, trial)
    const api = doubting(stage.api, plan, () => service.gone())
    const pushes = pushesTo(api, ledger, SEED)
    const { register, tag, rename, sound } = registrationsOf(api, ledger, SEED)
    const backups = join(directory, 'backups')
    const list = join(directory, 'list.csv')
    writeFileSync(list, `token,platform\n${IMPORTED.map((token) => `${token},android\n`).join('')}`)
    const importing = ['import', application.id, list, `--rejects=${join(directory, 'rejects.jsonl')}`] as const

    const steps: readonly (() => Promise<unknown>)[] = [
      () => register(0),
      () => register(1),
      async () => sound[0] && (await tag(sound[0], 0)),
      async () => sound[0] && (await rename(sound[0], 1)),
      () => registerBatch({ api, ledger }, 1, ['batch-1', 'batch-2'], ['batch']),
      () => pushes.toAll({ badge: true }),
      () => settled({ ...stage, api }, plan.met().struck === null ? STEP_MS : 0),
      () => pushes.toOne(0),
      () => command('backup', `${backups}/`, `--data=${data}`),
      () => importInto(),
      () => pushes.toTag('few'),
      () => service.stop(),
      () => register(2),
      () => pushes.toAll(),
      () => killed(),
      () => pushes.toOne(1),
    ]
    for (const step of steps) {
      await service.start()
      await step()
      await service.seen()
    }
    plan.disarm()
    await service.start()
    if ((await command(...importing, `--data=${data}`)).exitCode !== 0) accuse('a second import did not do it')
    addImported(Date.now())
    if ((await command('backup', `${backups}/`, `--data=${data}`)).exitCode !== 0) accuse('no backup could be made')
    for (const name of readdirSync(backups)) {
      const found = name.endsWith('.db') ? inspect(join(backups, name), 'full') : null
      if (found?.kind === 'bad') accuse(`the backup ${name}: ${found.problems.join(' ')}`)
    }
    await settled(stage, END_MS)
    const { findings, owed } = await judgeStage(stage)
    findings.forEach(accuse)
    checkDatabase(data, owed).forEach(accuse)
    service.judge()

    /** A tracer that is killed takes the service along, a moment later. */
    async function killed(): Promise<void> {
      await stage.kill()
      while (isServed(data)) await Bun.sleep(10)
    }

    async function importInto(): Promise<void> {
      addImported(null)
      const { exitCode } = await command(...importing, `--data=${data}`)
      addImported(exitCode === 0 ? Date.now() : null)
    }

    /** Asked for since the first import, whatever came of that. */
    function addImported(ackedAt: number | null): void {
      for (const token of IMPORTED) {
        const askedAt = ledger.devices.get(keyOf(1, token))?.askedAt ?? Date.now()
        const none = { tags: new Set<string>(), doubtfulTags: new Set<string>() }
        ledger.addDevice({ platform: 1, token, askedAt, ackedAt, ...none, aliases: [null] })
      }
    }
  },
}

/** The service, which may end by itself because of the fault, and for no other reason. */
function serviceOf(stage: Stage, { plan, kills, lasting, accuse }: Trial) {
  // As after the restart by which a service gives itself this.
  const connections = { BUN_CONFIG_MAX_HTTP_REQUESTS: '4096' }
  // What is sent can never be written down then: a stop waits to its end.
  const env = { ...connections, ...(lasting && { BELLHOP_DRAIN_SECONDS: String(DRAIN_SECONDS) }) }
  const lives = () => stage.url !== null
  return {
    /** Resolves when it has ended, or after all has not. */
    async gone(): Promise<void> {
      for (let waited = 0; lives() && waited < GONE_MS; waited += 10) await Bun.sleep(10)
    },
    /** One that has died is noticed a moment later, and until then would pass for one that lives. */
    async seen(): Promise<void> {
      if (!kills || !lives() || plan.met().struck === null) return
      if ((await stage.api.call('GET', '/analytics')) === null) await this.gone()
    },
    async start(): Promise<void> {
      for (let tries = 1; !lives(); tries++) {
        await stage.start({ env })
        if (lives()) return
        if (plan.met().struck === null || tries > 2)
          throw new Error(`it does not start: ${stage.accidents.join('; ')} ${stage.log().slice(-2000)}`)
        // The first time it may have been the fault; then there is none any more.
        plan.disarm()
      }
    },
    async stop(): Promise<void> {
      if (!lives()) return
      const { life } = stage
      const code = await stage.stop([0, 1, UNWRITTEN_CODE, KILLED])
      if (code === UNWRITTEN_CODE) stage.unwritten.add(life)
    },
    /** How it ended by itself. */
    judge(): void {
      const allowed = plan.met().struck === null ? [] : kills ? [KILLED] : [1]
      for (const accident of stage.accidents) {
        const code = /^(?:the service ended by itself|SIGTERM ended it) with (\d+)/.exec(accident)?.[1]
        if (code !== undefined && !allowed.includes(Number(code))) accuse(accident)
      }
      rawLinesOf(stage.log()).forEach((line) => accuse(`the service said: ${line}`))
    },
  }
}

/**
 * What a failed sync was for may be on disk all the same: the service answers 500, ends, and reads at the next start
 * what is there. To its callers that is no answer.
 */
function doubting(api: Api, plan: FaultPlan, gone: () => Promise<void>): Api {
  return {
    get reachable() {
      return api.reachable
    },
    async call(method, path, body) {
      const answer = await api.call(method, path, body)
      const inDoubt = answer !== null && answer.status >= 500 && plan.met().struck?.class === 'sync'
      if (answer === null || inDoubt) await gone()
      return inDoubt ? null : answer
    },
  }
}
