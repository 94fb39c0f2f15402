import { filterFields } from '../../audience/filter-schema.ts'
import type { WantedFilter } from '../../audience/filter-schema.ts'
import { hintAt } from '../../audience/unknown-fields.ts'
import type { Platform } from '../../device/device.ts'
import { refusalIn } from '../../failure.ts'
import type { Notification } from '../../notification/notification.ts'
import { OPTION_FLAGS, OPTIONS } from '../../notification/options.ts'
import type { When } from '../../push/schedule/timing-schema.ts'
import type { Problems } from '../../settings/parse.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import { problems } from '../command.ts'
import type { CommandContext, ParsedArguments } from '../command.ts'
import { platformsIn } from './platform-flag.ts'
import { PushFields } from './push-schema.ts'

export interface PushWanted {
  readonly notification: Notification
  /** A token, or its prefix as shown. */
  readonly to: { readonly token: string; readonly platforms: readonly Platform[] } | { readonly filter: WantedFilter }
  readonly when: When
  readonly confirm: number | null
}

/** Flags by their fields in the body. */
const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(OPTION_FLAGS.map(({ option, name }) => [option, `--${name}`])),
  msg: 'MESSAGE',
  send_at: '--send-at',
  confirm: '--confirm',
  where: '--where',
  tags: '--tag',
  alias: '--alias',
  users: '--user',
  except_tags: '--except-tag',
}

const TARGETS = ['all', 'tag', 'alias', 'user', 'token', 'where'] as const

const VALUED = [
  ...TARGETS.filter((name) => name !== 'all'),
  ...OPTION_FLAGS.filter(({ placeholder }) => placeholder !== null).map(({ name }) => name),
  'except-tag',
  'fields',
  'send-at',
  'confirm',
]

const MORE_FIELDS = [...Object.keys(OPTIONS), 'send_at_local', 'tags_match']

export function readPush(
  { words, flags }: ParsedArguments,
  { readFile }: Pick<CommandContext, 'readFile'>,
): { readonly kind: 'push'; readonly push: PushWanted } | Problems {
  // From a shell variable that is not set: it would go to others, go out now, or show nothing.
  const empty = VALUED.filter((name) => flags.get(name) === '').map((name) => `--${name}`)
  if (words[1] === '') empty.unshift('MESSAGE')
  if (empty.length > 0) return problems(...empty.map((name) => `${name} is empty: give a value, or leave it out.`))
  const wrong: string[] = []
  const flag = (name: string): string | undefined => flags.get(name)
  const list = (name: string) => {
    const names = flag(name)?.split(',')
    if (names?.includes('')) wrong.push(`--${name} names an empty ${name === 'user' ? 'user' : 'tag'}.`)
    return names
  }
  const json = (name: string, example: string, text: string | undefined): unknown => {
    const value = text === undefined ? undefined : parseJsonObject(text)
    if (value === null) wrong.push(`--${name} is not a JSON object, such as '${example}'.`)
    return value ?? undefined
  }

  /** All but a JSON object is a file name. */
  const textOrFile = (name: string): string | undefined => {
    const text = flag(name)
    if (text === undefined || /^\s*\{/.test(text)) return text
    const file = readFile(text)
    if (file.kind === 'read') return new TextDecoder().decode(file.bytes)
    wrong.push(`--${name}: ${file.problem}.`)
    return undefined
  }

  const optionValue = ({ name, takes, list: items, example = '{}' }: (typeof OPTION_FLAGS)[number]): unknown => {
    if (takes === undefined) return flag(name)
    if (items === undefined) return json(name, example, takes === 'json' ? flag(name) : textOrFile(name))
    // Commas join the values of a repeated flag, as in a JSON list.
    const given = json(name, example, flags.has(name) ? `{"given": [${flag(name)}]}` : undefined)
    return (given as { given?: unknown } | undefined)?.given
  }

  const targets = TARGETS.filter((name) => flags.has(name))
  if (targets.length === 0) wrong.push('Choose a target: --all, --tag, --alias, --user, --token or --where.')
  if (targets.length > 1) {
    const both = targets.map((name) => `--${name}`).join(' and ')
    wrong.push(`${both} can't be combined: choose one, or use --where, such as {"all": [{"tag": "beta"}, …]}.`)
  }
  if (flags.has('token') && flags.has('except-tag')) wrong.push("--except-tag can't be combined with --token.")
  const more = json('fields', '{"silent": true}', flag('fields'))
  wrong.push(...unknownFields(more))
  const [tags, exceptTags, users] = [list('tag'), list('except-tag'), list('user')]
  const where = json('where', '{"all": [{"tag": "beta"}, {"seen_within": 7}]}', flag('where'))
  const options = [
    ...OPTION_FLAGS.map((one) => [one.option, optionValue(one)] as const),
    ...(['send_at', 'confirm'] as const).map((name) => [name, flag(name.replace('_', '-'))] as const),
  ].filter(([, value]) => value !== undefined)
  if (wrong.length > 0) return problems(...wrong)
  const platforms = platformsIn(flags)

  const fields = (more ?? {}) as Readonly<Record<string, unknown>>
  const body: Readonly<Record<string, unknown>> = {
    ...fields,
    ...Object.fromEntries(options),
    ...(words[1] !== undefined && { msg: words[1] }),
    ...(flags.has('platform') && { platform: platforms.map(String) }),
    tags,
    alias: flag('alias'),
    users,
    where,
    except_tags: exceptTags,
  }
  return readBody({ ...body, sound: soundOf(flag('sound'), body) }, flag('token'), platforms)
}

function readBody(
  body: Readonly<Record<string, unknown>>,
  token: string | undefined,
  platforms: readonly Platform[],
): ReturnType<typeof readPush> {
  try {
    const { notification, filter, when, confirm } = PushFields['~standard'].validate(body).value
    if (token !== undefined && when.kind === 'local') return problems("send_at_local can't be combined with --token.")
    const to = token === undefined ? { filter } : { token, platforms }
    return { kind: 'push', push: { notification, to, when, confirm } }
  } catch (error) {
    return problems(toFlagNames(refusalIn(error).message))
  }
}

/** `send_at must be …` becomes `--send-at must be …`. */
export function toFlagNames(message: string): string {
  return message.replace(/^\w+/, (field) => NAMES[field] ?? field)
}

/** A push by hand should make a sound. */
function soundOf(flag: string | undefined, body: Readonly<Record<string, unknown>>): unknown {
  if (flag !== undefined) return flag === 'none' ? '' : flag
  if (body['sound'] !== undefined) return body['sound']
  const shows = body['msg'] !== undefined || body['title'] !== undefined
  return shows ? 'default' : undefined
}

function unknownFields(more: unknown): readonly string[] {
  if (more === undefined) return []
  return Object.keys(more as object)
    .filter((name) => !MORE_FIELDS.includes(name))
    .map((name) =>
      name in filterFields
        ? `--fields: set the audience with flags, not with "${name}".`
        : `--fields: "${name}" is not a field of a push.${hintAt(name, MORE_FIELDS)}`,
    )
}
