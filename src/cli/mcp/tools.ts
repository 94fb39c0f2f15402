import { isJsonObject } from '../../text/json-object.ts'
import type { JsonObject } from '../../text/json-object.ts'
import { suggestion } from '../../text/nearest.ts'
import type { CommandFacts, FlagSpec } from '../command.ts'
import { TOOL_TABLE } from './tool-table.ts'
import type { ToolRow } from './tool-table.ts'

export interface Tool {
  /** For `tools/list`. */
  readonly shown: JsonObject & { readonly name: string }
  readonly more: string
  /** `problems`: a sentence each. */
  argvOf(given: JsonObject): { readonly kind: 'argv'; readonly argv: readonly string[] } | Wrong
}

interface Wrong {
  readonly kind: 'wrong'
  readonly problems: readonly string[]
}

interface Options {
  readonly commands: readonly CommandFacts[]
  readonly allowSend: boolean
  /** Default of the argument `app`; `undefined`: required. */
  readonly app: string | undefined
  /** The flags that name the data. */
  readonly place: ReadonlyMap<string, string>
}

export function createTools({ commands, allowSend, ...rest }: Options): readonly Tool[] {
  return TOOL_TABLE.filter(({ sends }) => allowSend || sends === undefined).map((row) => {
    const spec = commands.find(({ name }) => name === row.command)
    if (spec === undefined) throw new Error(`${row.name} runs a command that is not there`)
    return toolOf(row, spec, rest)
  })
}

function toolOf(row: ToolRow, spec: CommandFacts, { app, place }: Pick<Options, 'app' | 'place'>): Tool {
  const words = spec.words.map((word) => wordOf(word, app))
  const flags = row.flags.map((name) => flagOf(spec, name))
  const parameters = [...words, ...flags]
  const { name, summary = spec.summary, advice, fixed, more } = row
  const where = [...place].filter(([flag]) => spec.flags.some((one) => one.name === flag))
  return {
    shown: {
      name,
      description: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}. ${advice}`,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(parameters.map((one) => [one.name, one.schema])),
        required: words.filter(({ isRequired }) => isRequired).map((word) => word.name),
        additionalProperties: false,
      },
      annotations: {
        readOnlyHint: row.sends === undefined,
        destructiveHint: row.sends === true,
        openWorldHint: row.sends === true || row.asksOthers === true,
      },
    },
    more,
    argvOf(given) {
      const problems = problemsOf(row.name, given, parameters)
      if (problems.length > 0) return { kind: 'wrong', problems }
      const argv = [
        ...row.command.split(' '),
        ...where.map(([flag, value]) => `--${flag}=${value}`),
        ...fixed.map((flag) => `--${flag}`),
        ...flags.flatMap(({ name: flag, written }) => written(given[flag])),
        '--',
        ...words.flatMap(({ name: word, standard }) => {
          const value = given[word] ?? standard
          return typeof value === 'string' ? [value] : []
        }),
      ]
      return { kind: 'argv', argv }
    },
  }
}

interface Parameter {
  readonly name: string
  readonly schema: JsonObject
  readonly fits: (value: unknown) => boolean
  /** Follows `limit must be `. */
  readonly expected: string
  readonly isRequired: boolean
}

const WORDS: Readonly<Record<string, string>> = {
  APP: 'ID or name of the application',
  PUSH: 'ID of the push, or a unique prefix',
  TOKEN: 'token of the device, or a prefix of 8 characters or more',
  MESSAGE: 'text to show',
}

function wordOf(word: string, app: string | undefined): Parameter & { readonly standard: string | undefined } {
  const name = word.replaceAll(/\W/g, '')
  const standard = name === 'APP' ? app : undefined
  const about = `${WORDS[name] ?? name}${standard === undefined ? '' : ` (default: ${standard})`}`
  return {
    name: name.toLowerCase(),
    schema: { type: 'string', description: about },
    fits: (value) => typeof value === 'string',
    expected: 'a string',
    isRequired: !word.startsWith('[') && standard === undefined,
    standard,
  }
}

function flagOf(
  spec: CommandFacts,
  flag: string,
): Parameter & { readonly written: (value: unknown) => readonly string[] } {
  const found = spec.flags.find(({ name }) => name === flag)
  if (found === undefined) throw new Error(`${spec.name} has no flag ${flag}`)
  const { type, fits, expected, text } = kindOf(found)
  return {
    name: flag.replaceAll('-', '_'),
    schema: { ...type, description: found.doc },
    fits,
    expected,
    isRequired: false,
    written(value) {
      if (value === undefined || value === false) return []
      if (value === true) return [`--${flag}`]
      return (Array.isArray(value) ? value : [value]).map((one) => `--${flag}=${text(one)}`)
    },
  }
}

interface ValueKind extends Pick<Parameter, 'fits' | 'expected'> {
  readonly type: JsonObject
  readonly text: (value: unknown) => string
}

function kindOf({ placeholder, list, type }: FlagSpec): ValueKind {
  if (placeholder === null) return { ...SWITCH, text: String }
  if (list === true) return { ...LIST, text: String }
  if (placeholder === 'N') return { ...WHOLE, text: String }
  // As JSON it can't be taken for a file name.
  if (placeholder === 'JSON') return { ...OBJECT, text: (value) => JSON.stringify(value) }
  const choices = placeholder.includes('|') && type !== undefined ? { enum: placeholder.split('|') } : {}
  return { type: { type: 'string', ...choices }, fits: isText, expected: 'a string', text: String }
}

const isText = (value: unknown): boolean => typeof value === 'string'

const SWITCH = {
  type: { type: 'boolean' },
  fits: (value: unknown) => typeof value === 'boolean',
  expected: 'true or false',
}

/** Commas separate values on a command line, so "a,b" would reach more devices than asked for. */
const LIST = {
  type: { type: 'array', items: { type: 'string', pattern: '^[^,]+$' }, minItems: 1 },
  fits: (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && /^[^,]+$/.test(one)),
  expected: 'a list of strings without commas',
}

const WHOLE = { type: { type: 'integer' }, fits: Number.isSafeInteger, expected: 'a whole number' }

const OBJECT = { type: { type: 'object' }, fits: isJsonObject, expected: 'an object' }

function problemsOf(tool: string, given: JsonObject, parameters: readonly Parameter[]): readonly string[] {
  const names = parameters.map(({ name }) => name)
  const unknown = Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => `"${name}" is not an argument of ${tool}.${suggestion(name, names)}`)
  const wrong = parameters.flatMap(({ name, fits, expected, isRequired }) => {
    const value = given[name]
    if (value === undefined) return isRequired ? [`${name} is required.`] : []
    return fits(value) ? [] : [`${name} must be ${expected}.`]
  })
  return [...unknown, ...wrong]
}
