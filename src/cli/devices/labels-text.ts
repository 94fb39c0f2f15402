import { escapeControls } from '../../text/escape-controls.ts'
import { counted, grouped } from '../../text/format.ts'
import type { Style } from '../terminal/style.ts'
import { shortened, tableText } from '../terminal/table-text.ts'
import type { Side } from '../terminal/table-text.ts'
import type { LabelSummary } from './labels-summary.ts'

export interface LabelReport extends LabelSummary {
  readonly labels: number
  /** 0: no limit. */
  readonly maxLabels: number
  readonly maxOfNetwork: number
  readonly networks: readonly { readonly network: string; readonly labels: number }[]
}

/** Columns of a name: it may have 256 characters. */
const NAME_COLUMNS = 40

const HEAD = ['NAME', 'KIND', 'NAMES', 'DEVICES', 'NEWCOMERS', 'ONLY NEWCOMERS', 'FROM']
const SIDES: readonly Side[] = ['left', 'left', 'right', 'right', 'right', 'right', 'left']

/** What uses up the limit of labels, by name and by network. */
export function labelsText(application: string, report: LabelReport, { paint, legible, unicode }: Style): string {
  const { groups, networks, labels, maxLabels, maxOfNetwork, unproven, undecided, unused } = report
  const limit = maxLabels === 0 ? 'no limit' : `at most ${grouped(maxLabels)} from calls without the secret`
  const rows = groups.map(({ name, kind, network, names, devices, newcomers, unproven: only }) => [
    shortened(escapeControls(name), NAME_COLUMNS, unicode),
    kind,
    grouped(names),
    grouped(devices),
    grouped(newcomers),
    grouped(only),
    network ?? '',
  ])
  const table = (head: readonly string[], body: readonly (readonly string[])[], sides: readonly Side[]) => {
    const [title = '', ...lines] = tableText([head, ...body], sides)
    return body.length === 0 ? [] : ['', paint('dim', title), ...lines]
  }
  const ofNetworks = networks.map((one) => [one.network, grouped(one.labels)])
  const share = maxLabels === 0 ? 'NAMES' : `NAMES, AT MOST ${grouped(maxOfNetwork)}`
  return [
    legible(`${escapeControls(application)}: ${counted(labels, 'tag or type', 'tags and types')}, ${limit}`),
    ...table(HEAD, rows, SIDES),
    ...table(['NETWORK', share], ofNetworks, ['left', 'right']),
    ...(unused + unproven + undecided > 0 ? [''] : []),
    ...(unused > 0 ? [`No device has ${counted(unused, 'name')} any more: erased within the hour.`] : []),
    ...(unproven > 0
      ? [
          `Only newcomers, devices that no gateway has accepted a push for yet, have ${counted(unproven, 'name')}: --clear-unproven takes them off.`,
        ]
      : []),
    ...(undecided > 0
      ? [
          `Only devices of platforms on which no push was ever accepted have ${counted(undecided, 'name')}: with --platform P they count as newcomers.`,
        ]
      : []),
    '',
  ].join('\n')
}
