import type { Api } from './api.ts'
import { chance, pick } from '../../support/chance.ts'
import { keyOf } from './ledger.ts'
import type { KnownDevice, Ledger, Platform } from './ledger.ts'

/** Sends pushes and enters in the ledger who must get them. */
export interface Pushes {
  /** To all phones. `badge`: adds one. */
  toAll(options?: { readonly badge?: boolean }): Promise<void>
  /** `extra`: more fields of the push. */
  toBrowsers(extra?: object): Promise<void>
  /** To phones with this tag, which must not change any more. */
  toTag(tag: string): Promise<void>
  /** To one of the initial devices. */
  toOne(platform: Platform): Promise<void>
  toDevice(device: KnownDevice): Promise<void>
  /** By the call for many. */
  toAlias(alias: string): Promise<void>
  /** Two broadcasts (one with badges), tag pushes and single ones, spread over `ms` milliseconds. */
  mixture(ms: number): Promise<void>
}

export function pushesTo(api: Api, ledger: Ledger, seed: number): Pushes {
  const first = [...ledger.devices.values()]
  let count = 0

  async function send(path: string, audience: () => readonly KnownDevice[], body: object): Promise<void> {
    const text = `push ${++count}`
    const askedAt = Date.now()
    const addressed = new Set(audience().map(({ platform, token }) => keyOf(platform, token)))
    const never = addressed.intersection(new Set(ledger.fates.keys()))
    const answer = await api.call('POST', path, { sound: 'default', badge: '', ...body, msg: text })
    const id = answer?.status === 200 ? String(answer.body.id) : null
    ledger.addPush({
      text,
      id,
      askedAt,
      ackedAt: id === null ? null : Date.now(),
      must: addressed.difference(never),
      never,
      refused: answer !== null && id === null,
      open: path === '/push/all',
    })
  }

  const acked = () => [...ledger.devices.values()].filter(({ ackedAt }) => ackedAt !== null)

  const pushes: Pushes = {
    toBrowsers: (extra) =>
      send('/push/all', () => acked().filter(({ platform }) => platform === 2), { platform: [2], ...extra }),
    toAll: ({ badge = false } = {}) =>
      send('/push/all', () => acked().filter(({ platform }) => platform !== 2), {
        platform: [0, 1],
        badge: badge ? '+1' : '',
      }),
    toTag: (tag) =>
      send('/push/all', () => [...ledger.devices.values()].filter(({ tags }) => tags.has(tag)), {
        platform: [0, 1],
        tags: [tag],
      }),
    toOne(platform) {
      const device = pick(
        first.filter((device) => device.platform === platform),
        chance(seed, 'one', count),
      )
      return pushes.toDevice(device)
    },
    toDevice: (device) => send('/push/one', () => [device], { platform: device.platform, token: device.token }),
    toAlias: (alias) =>
      send('/push/all', () => first.filter(({ aliases }) => aliases.includes(alias)), { platform: [0, 1], alias }),
    async mixture(ms) {
      const steps = [
        () => pushes.toAll({ badge: true }),
        () => pushes.toOne(0),
        () => pushes.toOne(1),
        () => pushes.toTag('even'),
        () => pushes.toAll(),
        () => pushes.toOne(0),
        () => pushes.toTag('odd'),
        () => pushes.toOne(1),
      ]
      for (const step of steps) {
        await step()
        await Bun.sleep(ms / steps.length)
      }
    },
  }
  return pushes
}
