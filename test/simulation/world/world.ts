import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chance } from '../../faults/stage/chance.ts'
import type { Post } from '../../../src/webhook/post.ts'
import { Judge } from '../judge/judge.ts'
import type { Weather } from './answers.ts'
import { closeConnections } from './connections.ts'
import { createDisk } from './disk.ts'
import { createGateways } from './gateways.ts'
import { startService } from './service.ts'
import type { Answer, Service } from './service.ts'
import type { Tenant } from './template.ts'
import { forgetTurns, settle, useSources } from './turns.ts'
import { createWorldClock } from './world-clock.ts'

/** What the worlds of a process share. */
export interface Ground {
  /** A directory for them alone. */
  readonly directory: string
  /** The data directory that each begins with. */
  readonly template: string
  readonly tenant: Tenant
}

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly onAnswer: (answer: Answer) => void
  /** The process died before an answer came. */
  readonly onLost?: () => void
}

export type World = Awaited<ReturnType<typeof createWorld>>

/** A machine, its network and its disk, and the service that runs there; all of it from one seed. */
export async function createWorld(ground: Ground, seed: number, startsAt: number) {
  const draw = (...words: (string | number)[]) => chance(seed, ...words)
  const clock = createWorldClock(startsAt, settle)
  let draws = 0
  const random = () => draw('random', draws++)
  useSources({ now: clock.now, monotonic: clock.monotonic, random })
  const hasher = new Bun.CryptoHasher('sha256')
  const lines: string[] = []
  let life = 0
  const judge = new Judge({
    now: clock.now,
    passedMs: () => clock.passedMs,
    life: () => life,
    ranBefore: (ms) => clock.ranBefore(ms),
  })
  const weather: Record<'apns' | 'fcm', Weather> = { apns: 'calm', fcm: 'calm' }
  let mood: 'well' | 'flaky' | 'away' = 'well'
  /** The service has said that it can go on no longer. */
  let isBroken = false
  const open = new Set<Call>()
  const directory = join(ground.directory, String(seed))
  mkdirSync(directory, { recursive: true })
  const disk = createDisk({ directory, template: ground.template, clock, chance: draw })

  function note(line: string): void {
    const text = `${clock.passedMs.toFixed(3)} ${line}`
    hasher.update(`${text}\n`)
    lines.push(text)
  }

  const openTransport = createGateways({
    clock,
    chance: draw,
    weatherOf: (gateway) => weather[gateway],
    fateOf: (token) => judge.phones.of(token)?.fate ?? { state: 'alive', since: 0 },
    onGrant: () => void (judge.grantedAt = clock.passedMs),
    onArrival(arrival, reply) {
      const who = `push ${arrival.push} phone ${judge.phones.of(arrival.token)?.number} ${arrival.environment ?? 'fcm'}`
      const { answer } = reply
      const said = answer.kind === 'answer' ? `${answer.status} ${answer.body}` : `${answer.reason} ${answer.sent}`
      note(`> ${who} ${arrival.identity} badge ${arrival.badge}: ${said} in ${reply.afterMs.toFixed(1)} ms`)
      const onAnswer = judge.arrived(arrival, reply)
      const sentIn = life
      return () => {
        if (sentIn !== life) return
        note(`< ${who} ${reply.says}`)
        onAnswer()
      }
    },
  })

  let posts = 0
  const post: Post = async (_url, headers, body) => {
    const id = headers['webhook-id'] ?? ''
    const dice = draw('post', posts++)
    const bad = { well: 0.02, flaky: 0.4, away: 0.95 }[mood]
    const failed = dice < bad
    const silent = failed && dice < bad / 4
    const sentIn = life
    await new Promise<void>((resolve) => void clock.after(silent ? 15_000 : 5 + dice * 60, resolve))
    const heard = life === sentIn
    note(`webhook ${id} ${body} ${failed ? 'failed' : 'taken'}`)
    if (heard && !failed) judge.told(id, JSON.parse(body))
    if (silent) return { kind: 'failed', reason: 'no answer' }
    return { kind: 'answered', status: failed ? 500 : 200, retryAfter: null }
  }

  async function start(): Promise<Service> {
    const starting = startService({
      data: disk.data,
      tenant: ground.tenant,
      clock,
      random,
      openTransport,
      post,
      sync: disk.sync,
      onLog: (line) => note(`log ${line.trim()}`),
    })
    const startedIn = life
    void starting.then(({ broken }) =>
      broken.then((error) => {
        if (startedIn !== life) return
        note(`broken: ${error.message}`)
        isBroken = true
        clock.halt()
        forgetTurns()
      }),
    )
    return starting
  }

  /** The process dies; the next one starts after `downMs`. */
  async function crash(downMs: number): Promise<void> {
    note(`crash, ${downMs} ms`)
    judge.crashed(life)
    life++
    isBroken = false
    clock.resume()
    forgetTurns()
    const lost = [...open]
    open.clear()
    for (const call of lost) call.onLost?.()
    disk.crash(closeConnections)
    clock.standStill(downMs)
    service = await start()
    await settle()
  }

  let service = await start()
  await settle()

  return {
    clock,
    judge,
    weather,
    note,
    get service() {
      return service
    },
    get life() {
      return life
    },
    get lines(): readonly string[] {
      return lines
    },
    /** In [0, 1); the same for the same words in this world. */
    chance: draw,
    /** Of everything that happened, in order. */
    hash: () => hasher.digest('hex'),
    setMood: (to: typeof mood) => void (mood = to),
    setDiskFailing: disk.setFailing,

    /** Makes a call, whose answer comes when it comes. */
    async call(call: Call): Promise<void> {
      const { method, path, body, headers } = call
      note(`call ${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`)
      open.add(call)
      const calledIn = life
      service.call(method, path, body, headers).then(
        (answer) => {
          if (calledIn !== life || isBroken) return
          open.delete(call)
          note(`answer ${method} ${path} ${answer.status} ${JSON.stringify(answer.body)}`)
          if (answer.status >= 500) judge.fail('answers-as-expected', `${method} ${path}: ${answer.status}`)
          call.onAnswer(answer)
        },
        (error: unknown) => judge.fail('nothing-is-thrown', `${method} ${path}: ${String(error)}`),
      )
      await settle()
    },

    crash,

    /** Starts a service that has broken down, as its manager does. */
    async revive(): Promise<void> {
      if (isBroken) await crash(0)
    },

    /** The process is stopped and started again. */
    async restart(): Promise<void> {
      note('stop')
      const stopped: true[] = []
      const stopping = service.stop().then(() => stopped.push(true))
      await settle()
      // Longer than any stop may take.
      for (let n = 0; n < 600; n++) {
        if (stopped.length > 0) break
        await clock.advance(100)
      }
      // The disk has failed meanwhile.
      if (isBroken) return crash(0)
      await stopping
      closeConnections()
      clock.resume()
      forgetTurns()
      life++
      disk.ended()
      for (const call of open) call.onLost?.()
      open.clear()
      note('start')
      service = await start()
      await settle()
    },

    end(): void {
      life++
      clock.resume()
      forgetTurns()
      closeConnections()
      disk[Symbol.dispose]()
    },
  }
}
