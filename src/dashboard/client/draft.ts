// The bundler calls it, so that a browser loads the fields, and not what reads and renders options.
import { optionInputs } from '../../notification/options.ts' with { type: 'macro' }
import type { NamedInput } from '../../notification/options.ts'
import { listIn, namesOf } from './audience.ts'
import { ALL_PLATFORMS } from './platforms.ts'

/** A push as it is typed: the fields of the API by name, each as text; what is not there was left alone. */
export type Draft = Readonly<Record<string, string>>

export const OPTION_INPUTS: readonly NamedInput[] = optionInputs()

/** Fields that are no option of the content: who gets it, and when. */
const TEXTS = [...namesOf('text'), 'tags_match', 'send_at_local']
const LISTS = namesOf('list')
const NUMBERS = namesOf('days')
const OBJECTS = [...namesOf('place'), ...namesOf('json')]

/** The body of `POST /push/all`, or with a token of `/push/one`. Throws an `Error` that names the field which is not valid JSON. */
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
  // To one device its platform is said by the token alone.
  if (body['token'] === undefined) body['platform'] = listIn(draft['platform'] ?? ALL_PLATFORMS.join())
  return body
}

/** Whether there is anything to send yet: what the API cannot do without is something to show, or that nothing is shown. */
export function hasContent(draft: Draft): boolean {
  return draft['silent'] === 'true' || ['msg', 'title'].some((name) => (draft[name] ?? '').trim() !== '')
}

/** Where such a body goes. */
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
