import type { Platform } from '../../device/device.ts'
import { httpsOrigin } from '../../settings/network-types.ts'
import type { SettingType } from '../../settings/setting-type.ts'
import type { FormatName } from '../../transfer/record.ts'
import { problems } from '../command.ts'
import type { CommandOutcome, ParsedArguments } from '../command.ts'
import { platformIn } from '../push/platform-flag.ts'
import type { OnesignalApp } from './onesignal-export.ts'

export interface ImportOptions {
  readonly kind: 'options'
  readonly app: string
  /** `-`: standard input. With `onesignal`: where the export is written. */
  readonly file: string
  /** `null`: detected. */
  readonly format: FormatName | null
  readonly map: string | null
  readonly platform: Platform | null
  readonly replace: boolean
  /** `null`: the usual name. */
  readonly rejects: string | null
  /** The key that the browsers subscribed with; `null`: none. */
  readonly vapidKey: string | null
  readonly dryRun: boolean
  readonly json: boolean
  /** `null`: no download. */
  readonly onesignal: OnesignalApp | null
}

export function readImportOptions(given: ParsedArguments): ImportOptions | CommandOutcome {
  const words = readTransferArguments('import', given)
  if (words.kind !== 'words') return words
  const { app } = words
  const { flags } = given
  const onesignal = onesignalIn(flags)
  if (onesignal !== null && 'problem' in onesignal) return problems(onesignal.problem)
  const file = words.file ?? (onesignal && `onesignal-${onesignal.id}.csv.gz`)
  if (file === null) return problems('import needs FILE; - is standard input.')
  if (file === '-' && onesignal !== null)
    return problems('--from-onesignal writes the export to FILE, so FILE cannot be -.')
  const vapidKey = flags.get('vapid-key') ?? null
  if (vapidKey === '-' && file === '-') return problems('--vapid-key and FILE cannot both be standard input.')
  const format = (onesignal === null ? (flags.get('format') ?? 'auto') : 'onesignal') as FormatName | 'auto'
  return {
    kind: 'options',
    app,
    file,
    format: format === 'auto' ? null : format,
    map: flags.get('map') ?? null,
    platform: platformIn(flags),
    replace: flags.get('on-conflict') === 'replace',
    rejects: flags.get('rejects') ?? null,
    vapidKey,
    dryRun: flags.has('dry-run'),
    json: flags.has('json'),
    onesignal,
  }
}

function onesignalIn(flags: ParsedArguments['flags']): OnesignalApp | { readonly problem: string } | null {
  const id = flags.get('from-onesignal')
  const keyFile = flags.get('key-file')
  if (id === undefined) {
    const alone = ['key-file', 'onesignal-url'].find((flag) => flags.has(flag))
    return alone === undefined ? null : { problem: `--${alone} needs --from-onesignal.` }
  }
  if (keyFile === undefined) return { problem: "--from-onesignal needs --key-file: a file with the app's API key." }
  const format = flags.get('format') ?? 'auto'
  if (format !== 'auto' && format !== 'onesignal') return { problem: `--from-onesignal brings no ${format}.` }
  const origin = flags.get('onesignal-url') ?? 'https://api.onesignal.com'
  return { id, keyFile, origin, withBrowsers: flags.has('vapid-key') }
}

export const onesignalId: Pick<SettingType<string>, 'expected' | 'read'> = {
  expected: 'a UUID, as OneSignal shows it under Settings, Keys & IDs',
  read: (text) => (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined),
}

/** Gets the key, so https or this machine. */
export const onesignalOrigin: Pick<SettingType<string>, 'expected' | 'read'> = {
  expected: 'an https origin without a path, such as https://api.onesignal.com',
  read: (text) => httpsOrigin.read(text) ?? (/^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(text) ? text : undefined),
}

/** `export APP FILE`, or `export --app APP FILE`. `file`: `null` if left out. */
export function readTransferArguments(
  command: 'export' | 'import',
  { words, flags }: ParsedArguments,
): { readonly kind: 'words'; readonly app: string; readonly file: string | null } | CommandOutcome {
  const named = flags.get('app')
  const [app, file = null, surplus] = named === undefined ? words : [named, ...words]
  if (app === undefined) return problems(`${command} needs APP.`)
  if (surplus !== undefined) return problems(`"${surplus}" is too much: with --app, ${command} takes only FILE.`)
  return { kind: 'words', app, file }
}
