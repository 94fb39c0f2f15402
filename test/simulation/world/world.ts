import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chance } from '../../support/chance.ts'
import { createCredentialStore } from '../../../src/application/credential-store.ts'
import { openDatabase } from '../../../src/database/database.ts'
import type { Database } from '../../../src/database/database.ts'
import { createImportStore } from '../../../src/device/transfer/import-store.ts'
import type { ImportedDevice } from '../../../src/device/transfer/imported-device.ts'
import type { Post } from '../../../src/webhook/post.ts'
import { Judge } from '../judge/judge.ts'
import type { Gateway } from './answer-tables.ts'
import type { Weather } from './answers.ts'
import { closeConnections } from './connections.ts'
import { createDisk } from './disk.ts'
import { answerDirectly, createGateways, skyOf } from './gateways.ts'
import type { Sky, Whose } from './gateways.ts'
import { startService } from './service.ts'
import type { Answer, Service } from './service.ts'
import { RECEIVERS } from './template.ts'
import type { Caller, Tenant } from './template.ts'
import { forgetTurns, settle, useSources } from './turns.ts'
import { answerByWire } from './wire/wire.ts'
import { createWorldClock } from './world-clock.ts'

/** 'unwilling' receivers answer 410. */
export type Mood = 'well' | 'flaky' | 'away' | 'unwilling'

/** Shared by the worlds of a process. */
export interface Ground {
  /** Theirs alone. */
  readonly directory: string
  /** The initial data directory. */
  readonly template: string
  readonly tenants: readonly [Tenant, Tenant]
  readonly metered: Caller
  readonly adminToken: string
  /** Seals its credentials. */
  readonly key: Uint8Array
}

interface Call {
  /**
   * Default the first application. `metered`: the one with a quota, which may be used up. `administrator`: calls the
   * admin API.
   */
  readonly by?: Whose | 'metered' | 'administrator'
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly onAnswer: (answer: Answer) => void
  /** The process died first. */
  readonly onLost?: () => void
}

/** Share of worlds that use the service's HTTP/2 client over simulated bytes. */
const WIRED = 1 / 3

export type World = Awaited<ReturnType<typeof createWorld>>

/** A machine with network, disk and service, all from one seed. */
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
  const weather: Record<Sky, Weather> = {
    apns: 'calm',
    fcm: 'calm',
    'push-0': 'calm',
    'push-1': 'calm',
    'push-2': 'calm',
  }
  let mood: Mood = 'well'
  /** The service said that it cannot go on. */
  let isBroken = false
  /** For the next run of the service. */
  let afterwards: (() => void)[] = []
  const open = new Set<Call>()
  const directory = join(ground.directory, String(seed))
  mkdirSync(directory, { recursive: true })
  const disk = createDisk({ directory, template: ground.template, clock, chance: draw })

  function note(line: string): void {
    const text = `${clock.passedMs.toFixed(3)} ${line}`
    hasher.update(`${text}\n`)
    lines.push(text)
  }

  const receive = createGateways({
    chance: draw,
    weatherOf: (sky) => weather[sky],
    fateOf: (application, token) => judge.phones.of(application, token)?.fate ?? { state: 'alive', since: 0 },
    ownerOf,
    onGrant: () => judge.course.granted(),
    onArrival(arrival, reply) {
      const { number } = judge.phones.of(arrival.application, arrival.token) ?? {}
      const who = `push ${arrival.push} phone ${number} ${arrival.environment ?? arrival.service ?? 'fcm'}`
      const { answer } = reply
      const said = answer.kind === 'answer' ? `${answer.status} ${answer.body}` : `${answer.reason} ${answer.sent}`
      note(`> ${who} ${arrival.identity} badge ${arrival.badge}: ${said} in ${reply.afterMs.toFixed(1)} ms`)
      const onAnswer = judge.arrived(arrival, reply)
      const sentIn = life
      return (heard) => {
        if (sentIn !== life) return
        note(`< ${who} ${heard.says}`)
        onAnswer(heard)
      }
    },
  })
  const openTransport =
    draw('wire') < WIRED
      ? answerByWire({
          clock,
          chance: draw,
          receive,
          weatherAt: (origin) => weather[skyOf(origin)],
          fail: (invariant, what) => judge.fail(invariant, what),
          note,
        })
      : answerDirectly(clock, receive)

  /** By name of a credential. Only gateways know the names. */
  function ownerOf(name: string) {
    for (const application of [0, 1] as const) {
      for (const list of Object.values(ground.tenants[application].credentials)) {
        const credential = list.findIndex((one) => one.name === name)
        if (credential >= 0) return { application, credential }
      }
    }
    throw new Error(`nobody has the credential ${name}`)
  }

  let posts = 0
  const post: Post = async (url, headers, body) => {
    const whose = RECEIVERS[0] === url ? 0 : 1
    const id = headers['webhook-id'] ?? ''
    const dice = draw('post', posts++)
    const bad = { well: 0.02, flaky: 0.4, away: 0.95, unwilling: 0 }[mood]
    const isUnwilling = mood === 'unwilling'
    const failed = dice < bad
    const silent = failed && dice < bad / 4
    const sentIn = life
    judge.telling(whose, JSON.parse(body))
    await new Promise<void>((resolve) => void clock.after(silent ? 15_000 : 5 + dice * 60, resolve))
    const heard = life === sentIn
    note(`webhook ${id} ${body} ${isUnwilling ? 'refused' : failed ? 'failed' : 'taken'}`)
    if (isUnwilling) {
      judge.refusedEvents(whose, heard)
      return { kind: 'answered', status: 410, retryAfter: null }
    }
    if (heard && !failed) judge.told(whose, id, JSON.parse(body))
    if (silent) return { kind: 'failed', reason: 'no answer' }
    return { kind: 'answered', status: failed ? 500 : 200, retryAfter: null }
  }

  async function start(): Promise<Service> {
    const startedIn = life
    // A dead process's promises still settle, and must not go on.
    const lives = () => startedIn === life
    const starting = startService({
      data: disk.data,
      clock: {
        now: clock.now,
        monotonic: clock.monotonic,
        after: (delayMs, callback) => (lives() ? clock.after(delayMs, callback) : () => undefined),
      },
      random,
      openTransport: (origin, options) => {
        const transport = openTransport(origin, options)
        const send = transport.send.bind(transport)
        return Object.assign(transport, {
          send: (...args: Parameters<typeof send>) => {
            if (lives()) send(...args)
          },
        })
      },
      post,
      sync: disk.sync,
      checkpoints: disk.checkpoints,
      onLog: (line) => void (lives() && note(`log ${line.trim()}`)),
    })
    void starting.then(({ broken }) =>
      broken.then((error) => {
        if (!lives()) return
        note(`broken: ${error.message}`)
        isBroken = true
        judge.crashed(life)
        clock.halt()
        forgetTurns()
      }),
    )
    return starting
  }

  /** The next process starts after `downMs`. */
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
    doTheRest()
  }

  function doTheRest(): void {
    const todo = afterwards
    afterwards = []
    for (const run of todo) run()
  }

  /** Like a command in another process. */
  function command(run: (database: Database) => void): void {
    using database = openDatabase(disk.data)
    run(database)
    disk.synced()
    service.changed()
  }

  function putCredential(application: Whose, gateway: Gateway, credential: number): void {
    note(`application ${application} has credential ${credential} for ${gateway}`)
    const tenant = ground.tenants[application]
    const { credential: put } = tenant.credentials[gateway][credential === 0 ? 0 : 1]
    command((database) => createCredentialStore({ database, clock, key: ground.key }).put(tenant, put))
    judge.replaced(application, gateway, credential)
  }

  /** `null`: it is being replaced now. */
  function otherCredential(application: Whose, gateway: Gateway) {
    const { credential: current, at } = judge.credentialOf(application, gateway)
    // The order of two at one time would be unknown.
    if (at >= clock.passedMs) return null
    const number = current === 0 ? 1 : 0
    return { number, credential: ground.tenants[application].credentials[gateway][number] }
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
    /** In [0, 1), the same for the same words in this world. */
    chance: draw,
    /** Of everything that happened, in order. */
    hash: () => hasher.digest('hex'),
    setMood: (to: Mood) => void (mood = to),
    setDiskFailing: disk.setFailing,

    /** Does not wait for the answer. */
    async call(call: Call): Promise<void> {
      const { by = 0, method, path, body, headers } = call
      const isAdmin = by === 'administrator'
      const caller = isAdmin ? ground.adminToken : by === 'metered' ? ground.metered : ground.tenants[by]
      // Keys differ in each process.
      note(`call ${method} ${path} ${body === undefined || isAdmin ? '' : JSON.stringify(body)}`)
      open.add(call)
      const calledIn = life
      service.call({ caller, method, path, body, headers }).then(
        (answer) => {
          if (calledIn !== life || isBroken) return
          open.delete(call)
          note(`answer ${method} ${path} ${answer.status} ${isAdmin ? '' : JSON.stringify(answer.body)}`)
          if (answer.status >= 500 && by !== 'metered')
            judge.fail('answers-as-expected', `${method} ${path}: ${answer.status}`)
          call.onAnswer(answer)
        },
        (error: unknown) => judge.fail('nothing-is-thrown', `${method} ${path}: ${String(error)}`),
      )
      await settle()
    },

    crash,

    tenants: ground.tenants,
    meteredId: ground.metered.id,
    whenItLives: (run: () => void) => void afterwards.push(run),
    otherCredential,
    putCredential,

    /** Like a command. */
    replaceCredential(application: Whose, gateway: Gateway): void {
      const other = otherCredential(application, gateway)
      if (other !== null) putCredential(application, gateway, other.number)
    },

    /** Imports devices of the first application; returns the outcomes. */
    importDevices(devices: readonly ImportedDevice[]): readonly string[] {
      note(`import ${JSON.stringify(devices)}`)
      const outcomes: string[] = []
      command((database) => {
        const imports = createImportStore({ database, clock })
        const { number } = ground.tenants[0]
        database.transact(() => outcomes.push(...devices.map((device) => imports.put(number, device).kind)))
      })
      note(`imported ${outcomes.join()}`)
      return outcomes
    },

    /** Starts a broken service, as its manager does. */
    async revive(): Promise<void> {
      if (isBroken) await crash(0)
    },

    async restart(): Promise<void> {
      note('stop')
      const stopped: true[] = []
      const stopping = service.stop().then(() => stopped.push(true))
      await settle()
      // Longer than any stop.
      for (let n = 0; n < 600; n++) {
        if (stopped.length > 0 || isBroken) break
        await clock.advance(100)
      }
      // The disk failed in between.
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
      doTheRest()
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
