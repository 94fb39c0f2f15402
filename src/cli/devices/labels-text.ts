import type { LabelUse } from '../../device/label-use-store.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { counted, grouped } from '../../text/format.ts'
import type { Style } from '../terminal/style.ts'
import { listing, shortened } from '../terminal/table-text.ts'
import type { Column } from '../terminal/table-text.ts'

interface LabelReport extends LabelSummary {
  readonly labels: number
  /** 0: no limit. */
  readonly maxLabels: number
  readonly maxOfNetwork: number
  readonly networks: readonly { readonly network: string; readonly labels: number }[]
}

/** In columns: a name may have 256 characters. */
const NAME_COLUMNS = 40

export function labelsText(application: string, report: LabelReport, { paint, legible, unicode }: Style): string {
  const { groups, networks, labels, maxLabels, maxOfNetwork, unproven, undecided, unused } = report
  const limit = maxLabels === 0 ? 'no limit' : `at most ${grouped(maxLabels)} from calls without the secret`
  const byName: readonly Column<LabelGroup>[] = [
    ['NAME', ({ name }) => shortened(escapeControls(name), NAME_COLUMNS, unicode)],
    ['KIND', ({ kind }) => kind],
    ['NAMES', ({ names }) => grouped(names), 'right'],
    ['DEVICES', ({ devices }) => grouped(devices), 'right'],
    ['NEWCOMERS', ({ newcomers }) => grouped(newcomers), 'right'],
    ['ONLY NEWCOMERS', (group) => grouped(group.unproven), 'right'],
    ['FROM', ({ network }) => network ?? ''],
  ]
  const table = <Item>(items: readonly Item[], columns: readonly Column<Item>[]) =>
    items.length === 0 ? [] : ['', ...listing(items, columns, paint)]
  const share = maxLabels === 0 ? 'NAMES' : `NAMES, AT MOST ${grouped(maxOfNetwork)}`
  return [
    legible(`${escapeControls(application)}: ${counted(labels, 'tag or type', 'tags and types')}, ${limit}`),
    ...table(groups, byName),
    ...table(networks, [
      ['NETWORK', ({ network }) => network],
      [share, (one) => grouped(one.labels), 'right'],
    ]),
    ...(unused + unproven + undecided > 0 ? [''] : []),
    ...(unused > 0 ? [`No device has ${counted(unused, 'name')} any more: deleted within the hour.`] : []),
    ...(unproven > 0
      ? [
          `Only new devices (no gateway has accepted a push for them yet) have ${counted(unproven, 'name')}: --clear-unproven removes them.`,
        ]
      : []),
    ...(undecided > 0
      ? [
          `Only devices of platforms on which no push was ever accepted have ${counted(undecided, 'name')}: with --platform P they count as new devices.`,
        ]
      : []),
    '',
  ].join('\n')
}

interface LabelGroup {
  /** A single name, or a common beginning and `…`. */
  readonly name: string
  readonly kind: LabelUse['kind']
  readonly names: number
  readonly devices: number
  readonly newcomers: number
  /** Names on new devices only. */
  readonly unproven: number
  /** Brought most of them; `null`: unknown. */
  readonly network: string | null
}

interface LabelSummary {
  readonly groups: readonly LabelGroup[]
  readonly unproven: number
  /** Names on new devices, and on devices of platforms that never had an accepted push. */
  readonly undecided: number
  readonly unused: number
}

export function isUnproven({ devices, newcomers }: LabelUse): boolean {
  return devices > 0 && newcomers === devices
}

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

/** Up to the first digit or separator: `user:17`, `city/berlin`, `vip2026`. */
function beginningOf(name: string): string {
  return /^\D*?(?:[:/=._#-]|(?=\d))/.exec(name)?.[0] ?? name
}
