export type Platform = 0 | 1

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

/** A push that was asked for. */
export interface KnownPush {
  /** What it says; each says something else. */
  readonly text: string
  /** By it the phone shows repeats as one; `null`: not acknowledged, and perhaps not stored. */
  readonly id: string | null
  readonly askedAt: number
  readonly ackedAt: number | null
  /** Devices (`keyOf`) that were in its audience without doubt. */
  readonly must: ReadonlySet<string>
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
  addDevice(device: KnownDevice): void
  addPush(push: KnownPush): void
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
    addDevice: (device) => void devices.set(keyOf(device.platform, device.token), device),
    addPush: (push) => void pushes.push(push),
    copy: () => createLedger([...devices.values()]),
  }
}
