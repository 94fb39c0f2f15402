import type { Preview } from '../../push/preview/preview.ts'
import type { PushState } from '../../push/status/status.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { counted, grouped, lasting, tokenPart } from '../../text/format.ts'
import type { Style } from '../terminal/style.ts'
import { tableText } from '../terminal/table-text.ts'
import { PLATFORM, PLATFORMS } from '../../platform.ts'

export interface PushResult {
  readonly id: string
  readonly state: PushState
  readonly t: number
  readonly s: number
  readonly failed: number
  /** In the gateways' own words, most frequent first. */
  readonly reasons: Readonly<Record<string, number>>
  /** `null`: nothing waits, or unknown. */
  readonly waitsFor: string | null
  readonly createdAt: number
  readonly finishedAt: number | null
}

/** `sent 1,234 of 1,250 · 16 failed (Unregistered 14, BadDeviceToken 2) · 3.4 s` */
export function resultText(result: PushResult, { paint, legible }: Style): string {
  const { state, t, s, failed, reasons, createdAt, finishedAt } = result
  const why = Object.entries(reasons).map(([reason, count]) => `${escapeControls(reason)} ${grouped(count)}`)
  const left = finishedAt === null ? t - s - failed : 0
  const parts = [
    paint(s > 0 ? 'green' : 'bold', `sent ${grouped(s)} of ${grouped(t)}`),
    ...(t === 0 && state === 'finished' ? ['nobody matches'] : []),
    ...(failed > 0 ? [paint('red', `${grouped(failed)} failed${why.length > 0 ? ` (${why.join(', ')})` : ''}`)] : []),
    ...(left > 0 ? [paint('yellow', `${grouped(left)} to come`)] : []),
    ...(state === 'cancelled' ? [paint('yellow', 'cancelled')] : []),
    ...(finishedAt === null ? [] : [lasting(Math.max(finishedAt - createdAt, 0))]),
  ]
  return `${legible(parts.join(' · '))}\n`
}

export function resultJson({ id, state, t, s, failed, reasons, waitsFor }: PushResult): object {
  return { id, state, t, s, failed, reasons, reason: waitsFor }
}

/** The API's refusal of a large push, with flags. */
export function confirmedHere(message: string): string {
  return message
    .replace(/ with "confirm": (\d+)\.$/, ' with --confirm $1, or with --yes.')
    .replaceAll(/(?<= (?:addresses|confirm-above) )\d+/g, (count) => grouped(Number(count)))
}

export function previewText(preview: Preview, { paint, legible }: Style): string {
  const { t, platforms, sample, apns, fcm, webpush, languages = [] } = preview
  const rows = PLATFORMS.flatMap((platform) => {
    const count = platforms[platform]
    return count === undefined ? [] : [[`  ${PLATFORM[platform].name}`, grouped(count)]]
  })
  const devices = sample.map(({ token, platform, alias }) => [
    `  ${escapeControls(tokenPart(token))}`,
    PLATFORM[platform].name,
    escapeControls(alias ?? ''),
  ])
  const size = (name: string, rendered: { readonly bytes: number } | null) =>
    rendered === null ? [] : [[`  ${name}`, `${grouped(rendered.bytes)} of 4,096 bytes`]]
  // Most applications have no browsers.
  const web = (platforms[2] ?? 0) > 0 || (apns === null && fcm === null) ? (webpush ?? null) : null
  return legible(
    [
      paint('bold', `Would be sent to ${counted(t, 'device')}. Nothing was sent.`),
      '',
      ...tableText(rows, ['left', 'right']),
      ...(devices.length === 0 ? [] : ['', 'Among them', ...tableText(devices)]),
      '',
      ...tableText([...size('APNs', apns), ...size('FCM', fcm), ...size('web push', web)]),
      ...(languages.length === 0 ? [] : ['', ...languageTable(languages, web !== null)]),
      '',
    ].join('\n'),
  )
}

function languageTable(languages: NonNullable<Preview['languages']>, withWeb: boolean): readonly string[] {
  const bytes = (rendered: { readonly bytes: number } | null | undefined) => (rendered ? grouped(rendered.bytes) : '')
  const rows = languages.map(({ language, t, apns, fcm, webpush }) => [
    `  ${language ?? 'the own text'}`,
    grouped(t),
    bytes(apns),
    bytes(fcm),
    ...(withWeb ? [bytes(webpush)] : []),
  ])
  const head = ['  LANGUAGE', 'DEVICES', 'APNS BYTES', 'FCM BYTES', ...(withWeb ? ['WEB BYTES'] : [])]
  return tableText([head, ...rows], ['left', 'right', 'right', 'right', 'right'])
}
