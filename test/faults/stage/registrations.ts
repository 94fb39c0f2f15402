import { chance, pick } from '../../support/chance.ts'
import type { Api } from './api.ts'
import { tokenOf } from './crowd.ts'
import type { KnownDevice, Ledger } from './ledger.ts'

/** An app's calls about itself, entered in the ledger. `turn` makes each unique. */
export interface Registrations {
  readonly counts: { readonly acknowledged: number; readonly refused: number; readonly unanswered: number }
  /** Acknowledged devices without open questions. */
  readonly sound: readonly KnownDevice[]
  readonly register: (turn: number) => Promise<void>
  readonly tag: (device: KnownDevice, turn: number) => Promise<void>
  readonly rename: (device: KnownDevice, turn: number) => Promise<void>
}

export function registrationsOf(api: Api, ledger: Ledger, seed: number): Registrations {
  const counts = { acknowledged: 0, refused: 0, unanswered: 0 }
  const sound: KnownDevice[] = []

  async function ask(path: string, body: object): Promise<'acknowledged' | 'refused' | 'unanswered'> {
    const answer = await api.call('PUT', path, body)
    const outcome = answer === null ? 'unanswered' : answer.status < 300 ? 'acknowledged' : 'refused'
    counts[outcome]++
    return outcome
  }

  return {
    counts,
    sound,
    async register(turn) {
      const platform = turn % 2 === 0 ? 0 : 1
      const token = tokenOf(platform, 'newcomer', seed, turn)
      const alias = `newcomer-${turn}`
      const askedAt = Date.now()
      const outcome = await ask('/deviceToken', { token, platform, tag: ['newcomer'], alias })
      // Nothing of it may be stored.
      if (outcome === 'refused') return
      const done = outcome === 'acknowledged'
      const device = {
        platform,
        token,
        askedAt,
        ackedAt: done ? Date.now() : null,
        tags: new Set(done ? ['newcomer'] : []),
        doubtfulTags: new Set(done ? [] : ['newcomer']),
        aliases: done ? [alias] : [alias, null],
      } as const
      ledger.addDevice(device)
      if (done) sound.push(device)
    },
    async tag(device, turn) {
      const { platform, token, tags, doubtfulTags } = device
      const outcome = await ask('/tag', { platform, token, tag: `tag-${turn}` })
      if (outcome === 'refused') return
      const done = outcome === 'acknowledged'
      ;(done ? tags : doubtfulTags).add(`tag-${turn}`)
      if (!done) sound.splice(sound.indexOf(device), 1)
    },
    async rename(device, turn) {
      const { platform, token } = device
      const outcome = await ask('/alias', { platform, token, alias: `renamed-${turn}` })
      if (outcome === 'refused') return
      const done = outcome === 'acknowledged'
      device.aliases = done ? [`renamed-${turn}`] : [...device.aliases, `renamed-${turn}`]
      if (!done) sound.splice(sound.indexOf(device), 1)
    },
  }
}

/** Between two calls, in ms. */
const PAUSE_MS = 40

/** Registers, tags and renames devices continuously. */
export interface Registrar extends Pick<Registrations, 'counts'> {
  stop(): Promise<void>
}

export function startRegistrar(api: Api, ledger: Ledger, seed: number): Registrar {
  const { counts, sound, register, tag, rename } = registrationsOf(api, ledger, seed)
  const stop = new AbortController()

  async function run(): Promise<void> {
    for (let turn = 0; !stop.signal.aborted; turn++) {
      await Bun.sleep(PAUSE_MS)
      if (!api.reachable) continue
      const at = chance(seed, 'registrar', turn)
      if (at < 0.4 || sound.length === 0) await register(turn)
      else await (at < 0.7 ? tag : rename)(pick(sound, chance(seed, 'whom', turn)), turn)
    }
  }
  const running = run()
  return {
    counts,
    async stop() {
      stop.abort()
      await running
    },
  }
}
