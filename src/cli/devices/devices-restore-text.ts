import type { Absent, Departures } from '../../device/restore-store.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { counted, grouped, moment } from '../../text/format.ts'
import type { Style } from '../terminal/style.ts'
import { listing } from '../terminal/table-text.ts'

export interface RestoreCounts {
  readonly gone: number
  readonly quarantined: number
  /** Restored without their alias, which another device has now. */
  readonly aliasTaken: number
  /** Restored without labels and alias, which were not kept. */
  readonly bare: number
}

export function spanText({ since, until }: Pick<Departures, 'since' | 'until'>): string {
  return until === null ? `since ${moment(since)}` : `between ${moment(since)} and ${moment(until)}`
}

export function absentText(absent: readonly Absent[], { paint }: Style): string {
  const table = listing(
    absent,
    [
      ['REASON', ({ reason }) => escapeControls(reason)],
      ['GONE', ({ gone }) => grouped(gone), 'right'],
      ['QUARANTINED', ({ quarantined }) => grouped(quarantined), 'right'],
    ],
    paint,
  )
  const sum = (name: 'gone' | 'quarantined' | 'aliasTaken' | 'bare') => absent.reduce((all, one) => all + one[name], 0)
  const counts = {
    gone: sum('gone'),
    quarantined: sum('quarantined'),
    aliasTaken: sum('aliasTaken'),
    bare: sum('bare'),
  }
  return [
    ...table,
    '',
    `${counted(counts.gone + counts.quarantined, 'device')} to restore.`,
    ...without(counts),
    '',
  ].join('\n')
}

export function restoredText(counts: RestoreCounts): string {
  const { gone, quarantined } = counts
  const parts = `${grouped(gone)} were unregistered, ${grouped(quarantined)} quarantined`
  return [`${counted(gone + quarantined, 'device')} restored: ${parts}.`, ...without(counts), ''].join('\n')
}

function without({ aliasTaken, bare }: RestoreCounts): readonly string[] {
  return [
    ...(aliasTaken > 0 ? [`${grouped(aliasTaken)} without their alias, which another device has now.`] : []),
    ...(bare > 0
      ? [
          `${grouped(bare)} without tags, types and alias: these are not kept for devices that left under an older version or were imported as unregistered.`,
        ]
      : []),
  ]
}
