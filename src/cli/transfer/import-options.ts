import type { Platform } from '../../device/device.ts'
import type { FormatName } from '../../transfer/record.ts'
import { problems } from '../command.ts'
import type { CommandOutcome, ParsedArguments } from '../command.ts'
import { platformIn } from '../push/platform-flag.ts'
import { readTransferArguments } from './transfer-arguments.ts'

/** What `import` was asked for. */
export interface ImportOptions {
  readonly kind: 'options'
  readonly app: string
  /** `-`: standard input. */
  readonly file: string
  /** `null`: to be found out. */
  readonly format: FormatName | null
  /** As given; `null`: none. */
  readonly map: string | null
  readonly platform: Platform | null
  readonly replace: boolean
  /** `null`: the usual name. */
  readonly rejects: string | null
  readonly dryRun: boolean
  readonly json: boolean
}

export function readImportOptions(given: ParsedArguments): ImportOptions | CommandOutcome {
  const words = readTransferArguments('import', given)
  if (words.kind !== 'words') return words
  const { app, file } = words
  const { flags } = given
  if (file === null) return problems('import needs FILE; - is standard input.')
  const format = (flags.get('format') ?? 'auto') as FormatName | 'auto'
  return {
    kind: 'options',
    app,
    file,
    format: format === 'auto' ? null : format,
    map: flags.get('map') ?? null,
    platform: platformIn(flags),
    replace: flags.get('on-conflict') === 'replace',
    rejects: flags.get('rejects') ?? null,
    dryRun: flags.has('dry-run'),
    json: flags.has('json'),
  }
}
