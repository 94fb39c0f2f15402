import type { LabelUse } from '../../device/label-use-store.ts'

/** Names that begin alike, such as `user:17` and `user:18`. */
export interface LabelGroup {
  /** The name where there is one, else how they begin, and `…`. */
  readonly name: string
  readonly kind: LabelUse['kind']
  readonly names: number
  /** How often devices have one of them. */
  readonly devices: number
  /** As in `LabelUse`. */
  readonly newcomers: number
  /** Names that newcomers alone have. */
  readonly unproven: number
  /** Who brought the most of them; `null`: that is not known of any. */
  readonly network: string | null
}

export interface LabelSummary {
  /** Those with the most names first. */
  readonly groups: readonly LabelGroup[]
  /** Of all groups. */
  readonly unproven: number
  /** Names that nobody has but newcomers, and devices of platforms on which nothing was ever taken. */
  readonly undecided: number
  /** Names that no device has any more. */
  readonly unused: number
}

/** Whether nobody has it but newcomers. */
export function isUnproven({ devices, newcomers }: LabelUse): boolean {
  return devices > 0 && newcomers === devices
}

/** The `limit` largest groups. */
export function summaryOf(uses: Iterable<LabelUse>, limit: number): LabelSummary {
  const groups = new Map<string, Group>()
  let [unproven, undecided, unused] = [0, 0, 0]
  for (const use of uses) {
    const { kind, name, network, devices, newcomers, unknown } = use
    const beginning = beginningOf(name)
    const key = `${kind} ${beginning}`
    const group = groups.get(key) ?? newGroup(use, beginning)
    groups.set(key, group)
    group.names++
    group.devices += devices
    group.newcomers += newcomers
    if (network !== null) group.networks.set(network, (group.networks.get(network) ?? 0) + 1)
    if (devices === 0) unused++
    else if (isUnproven(use)) {
      group.unproven++
      unproven++
    } else if (newcomers + unknown === devices) undecided++
  }
  const largest = [...groups.values()].toSorted((a, b) => b.names - a.names || b.devices - a.devices)
  return { groups: largest.slice(0, limit).map(shownAs), unproven, undecided, unused }
}

type Group = ReturnType<typeof newGroup>

function shownAs({ first, beginning, networks, kind, names, devices, newcomers, unproven }: Group): LabelGroup {
  const name = names === 1 ? first : `${beginning}…`
  const [most] = [...networks].toSorted(([, a], [, b]) => b - a)
  return { name, kind, names, devices, newcomers, unproven, network: most?.[0] ?? null }
}

function newGroup({ kind, name: first }: LabelUse, beginning: string) {
  return {
    kind,
    first,
    beginning,
    names: 0,
    devices: 0,
    newcomers: 0,
    unproven: 0,
    networks: new Map<string, number>(),
  }
}

/** Up to the first character after which names differ, as in `user:17`, `city/berlin` and `vip2026`; else the whole. */
function beginningOf(name: string): string {
  return /^\D*?(?:[:/=._#-]|(?=\d))/.exec(name)?.[0] ?? name
}
