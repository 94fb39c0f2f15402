import { choice } from '../../settings/setting-type.ts'
import { FORMAT_NAMES } from '../../transfer/record.ts'
import type { FormatName } from '../../transfer/record.ts'
import { problems } from '../command.ts'
import type { ParsedArguments, CommandOutcome } from '../command.ts'
import { readTransferArguments } from './transfer-arguments.ts'

/** What `import` was asked for. */
export interface ImportOptions {
  readonly kind: 'order'
  readonly app: string
  /** `-`: standard input. */
  readonly file: string
  /** `null`: to be found out. */
  readonly format: FormatName | null
  /** As given; `null`: none. */
  readonly map: string | null
  readonly platform: 0 | 1 | null
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
  const wrong: string[] = []

  function read<Value>(name: string, values: ReadonlyMap<string, Value>, standard: Value): Value {
    const text = flags.get(name)
    if (text === undefined) return standard
    const value = values.get(text)
    if (value === undefined) wrong.push(`--${name}: "${text}" is not ${choice(...values.keys()).expected}`)
    return value ?? standard
  }

  const formats = new Map<string, FormatName | 'auto'>([
    ['auto', 'auto'],
    ...FORMAT_NAMES.map((name) => [name, name] as const),
  ])
  const format = read('format', formats, 'auto')
  const platform = read<0 | 1 | null>(
    'platform',
    new Map([
      ['ios', 0],
      ['android', 1],
    ] as const),
    null,
  )
  const replace = read(
    'on-conflict',
    new Map([
      ['keep', false],
      ['replace', true],
    ]),
    false,
  )
  if (file === null) wrong.push('import needs FILE; - is standard input.')
  if (file === null || wrong.length > 0) return problems(...wrong)
  return {
    kind: 'order',
    app,
    file,
    format: format === 'auto' ? null : format,
    map: flags.get('map') ?? null,
    platform,
    replace,
    rejects: flags.get('rejects') ?? null,
    dryRun: flags.has('dry-run'),
    json: flags.has('json'),
  }
}
