export type Platform = 0 | 1 | 2

/** A device with everything the service has acknowledged of it. */
export interface KnownDevice {
  readonly platform: Platform
  readonly token: string
  /** Time of the registration call, in ms since the Unix epoch. */
  readonly askedAt: number
  /** `null`: nobody knows whether it is registered. */
  readonly ackedAt: number | null
  readonly tags: Set<string>
  /** Set by calls without an answer. */
  readonly doubtfulTags: Set<string>
  /** After a change without an answer, the old and the new alias. */
  aliases: readonly (string | null)[]
}

/** A device that its gateway refuses is tried again and again, or leaves the registry with its first refusal. */
export type Fate = 'waits' | 'leaves'

export interface KnownPush {
  /** Unique. */
  readonly text: string
  /** A phone shows repeats by it as one; `null`: not acknowledged, perhaps not stored. */
  readonly id: string | null
  readonly askedAt: number
  readonly ackedAt: number | null
  /** Devices (`keyOf`) that are certainly in its audience, without `never`. */
  readonly must: ReadonlySet<string>
  /** Devices of its audience that their gateway refuses. */
  readonly never: ReadonlySet<string>
  /** Answered, but not with 200: nobody may get it. */
  readonly refused: boolean
  /** A broadcast: devices being registered may be in its audience. */
  readonly open: boolean
}

export function keyOf(platform: Platform, token: string): string {
  return `${platform}/${token}`
}

/** What the harness asked for and what was answered. Everything with a 2xx must hold in the end. */
export interface Ledger {
  readonly devices: ReadonlyMap<string, KnownDevice>
  readonly pushes: readonly KnownPush[]
  /** Devices (`keyOf`) that their gateway refuses. */
  readonly fates: Map<string, Fate>
  addDevice(device: KnownDevice): void
  addPush(push: KnownPush): void
  /** The push has failed for these devices (`keyOf`). */
  giveUp(text: string, keys: ReadonlySet<string>): void
  copy(): Ledger
}

export function createLedger(known: readonly KnownDevice[] = []): Ledger {
  const devices = new Map(
    known.map((device) => [
      keyOf(device.platform, device.token),
      { ...device, tags: new Set(device.tags), doubtfulTags: new Set(device.doubtfulTags) },
    ]),
  )
  const pushes: KnownPush[] = []
  return {
    devices,
    pushes,
    fates: new Map(),
    addDevice: (device) => void devices.set(keyOf(device.platform, device.token), device),
    addPush: (push) => void pushes.push(push),
    giveUp(text, keys) {
      const at = pushes.findIndex((push) => push.text === text)
      const push = pushes[at]
      if (push === undefined) throw new Error(`no push says ${text}`)
      const { must, never } = push
      pushes[at] = { ...push, must: must.difference(keys), never: never.union(must.intersection(keys)) }
    },
    copy: () => createLedger([...devices.values()]),
  }
}
