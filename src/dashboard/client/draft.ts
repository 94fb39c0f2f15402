// Evaluated by the bundler: the browser gets the fields without the code that reads and renders options.
import { optionInputs } from '../../notification/options.ts' with { type: 'macro' }
import type { NamedInput } from '../../notification/options.ts'
import { listIn, namesOf } from './audience.ts'
import { ALL_PLATFORMS } from './platforms.ts'

/** The fields of a push as typed, by their API names. An untouched field is missing. */
export type Draft = Readonly<Record<string, string>>

// A copy: the bundler writes what a macro returned wherever it is read.
export const OPTION_INPUTS: readonly NamedInput[] = optionInputs().slice()

/** Audience and time are not options of the content. */
const TEXTS = [...namesOf('text'), 'tags_match', 'send_at_local']
const LISTS = namesOf('list')
const NUMBERS = namesOf('days')
const OBJECTS = [...namesOf('place'), ...namesOf('json')]

/**
 * The body of `POST /push/all`, or of `/push/one` if there is a token. Throws an `Error` that
 * begins with the name of the wrong field.
 */
export function pushBody(draft: Draft): Readonly<Record<string, unknown>> {
  const isSilent = draft['silent'] === 'true'
  const given = (name: string): string => (draft[name] ?? '').trim()
  const body: Record<string, unknown> = {}
  const take = (names: readonly string[], read: (text: string, name: string) => unknown): void => {
    for (const name of names) if (given(name) !== '') body[name] = read(given(name), name)
  }
  for (const { name, kind, isShown, initial } of OPTION_INPUTS) {
    if (isSilent && isShown) continue
    if (initial !== undefined) body[name] = draft[name] ?? initial
    else take([name], READ[kind])
  }
  take(TEXTS, READ.line)
  take(LISTS, listIn)
  take(NUMBERS, Number)
  take(OBJECTS, objectIn)
  if (draft['send_at'] !== undefined && draft['send_at'] !== '') {
    body['send_at'] = new Date(draft['send_at']).toISOString()
  }
  const platforms = listIn(draft['platform'] ?? ALL_PLATFORMS.join())
  const isToOne = body['token'] !== undefined
  if (isToOne && platforms.length !== 1) throw new Error('platform must be one, that of the device token.')
  body['platform'] = isToOne ? platforms[0] : platforms
  return body
}

/** The API needs a text to show, or a silent push. */
export function hasContent(draft: Draft): boolean {
  return draft['silent'] === 'true' || ['msg', 'title'].some((name) => (draft[name] ?? '').trim() !== '')
}

export function pushPath(body: Readonly<Record<string, unknown>>): '/push/all' | '/push/one' {
  return body['token'] === undefined ? '/push/all' : '/push/one'
}

function objectIn(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${name} is not valid JSON yet.`)
  }
}

const READ: Readonly<Record<NamedInput['kind'], (text: string, name: string) => unknown>> = {
  line: (text) => text,
  lines: (text) => text,
  choice: (text) => text,
  number: Number,
  switch: (text) => text === 'true',
  json: objectIn,
}
