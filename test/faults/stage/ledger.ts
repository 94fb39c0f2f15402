export type Platform = 0 | 1 | 2

/** A device, and what the service has acknowledged of it. */
export interface KnownDevice {
  readonly platform: Platform
  readonly token: string
  /** When its registration was asked for, ms since the Unix epoch. */
  readonly askedAt: number
  /** When it was acknowledged; `null`: nobody knows whether it is registered. */
  readonly ackedAt: number | null
  /** Acknowledged. */
  readonly tags: Set<string>
  /** Asked for without an answer: it may have them. */
  readonly doubtfulTags: Set<string>
  /** The alias; where a change was not answered, the old one and the new one. */
  aliases: readonly (string | null)[]
}

/**
 * What becomes of a device whose gateway takes nothing for it: it is sent to again and again, or it leaves the registry
 * with the first push that it was refused.
 */
export type Fate = 'waits' | 'leaves'

/** A push that was asked for. */
export interface KnownPush {
  /** What it says; each says something else. */
  readonly text: string
  /** By it the phone shows repeats as one; `null`: not acknowledged, and perhaps not stored. */
  readonly id: string | null
  readonly askedAt: number
  readonly ackedAt: number | null
  /** Devices (`keyOf`) that were in its audience without doubt, but for those in `never`. */
  readonly must: ReadonlySet<string>
  /** Those of its audience whose gateway takes nothing for them. */
  readonly never: ReadonlySet<string>
  /** Whether the answer was anything else than 200: nobody may get it. */
  readonly refused: boolean
  /** Whether a broadcast: devices whose registration was on its way may be in it too. */
  readonly open: boolean
}

export function keyOf(platform: Platform, token: string): string {
  return `${platform}/${token}`
}

/** What the harness asked for and what it was told: everything with a 2xx must be so in the end. */
export interface Ledger {
  readonly devices: ReadonlyMap<string, KnownDevice>
  readonly pushes: readonly KnownPush[]
  /** Of devices (`keyOf`) that their gateway takes nothing for, as far as the scenario goes. */
  readonly fates: Map<string, Fate>
  addDevice(device: KnownDevice): void
  addPush(push: KnownPush): void
  /** No gateway takes this push for these devices (`keyOf`) any more: it has failed for them. */
  giveUp(text: string, keys: ReadonlySet<string>): void
  /** A ledger of its own with the same entries. */
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
