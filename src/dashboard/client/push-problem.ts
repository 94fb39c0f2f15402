import { FILTERS } from './audience.ts'
import { refusalOf, sentenceOf } from './call.ts'
import { OPTION_INPUTS } from './draft.ts'

export interface PushProblem {
  readonly sentence: string
  /** The API's name of the field; `null`: unknown. */
  readonly field: string | null
  /** `null`: not in a translation. */
  readonly language: string | null
}

/** With filters, a title is enough. */
const NO_MESSAGE = 'The message is missing. A push to everyone or to one device needs more than a title.'

const LABELS: ReadonlyMap<string, string> = new Map(
  [
    ...OPTION_INPUTS,
    ...FILTERS,
    { name: 'platform', label: 'Platform' },
    { name: 'send_at', label: 'Send at' },
    { name: 'send_at_local', label: 'Send at each device’s local time' },
  ].map(({ name, label }) => [name, label]),
)

/** Replaces the field name at the start of an API sentence by the field's label. */
export function problemOf(error: unknown): PushProblem {
  const told = sentenceOf(error)
  const [name = '', named = null, below = ''] = /^([a-z_]+)((?:[.[][^\s,:]*)?)(?=[ ,:])/.exec(told) ?? []
  const [, language = null, text = null] = named === 'languages' ? (/^\.([\w-]+)\.(\w+)$/.exec(below) ?? []) : []
  const field = text ?? named
  const label = LABELS.get(field ?? '')
  const inside = text !== null || below === '' ? '' : `: ${below.replace(/^\./, '')}`
  const sentence = label === undefined ? told : label + inside + told.slice(name.length)
  const isMissing = field === 'msg' && refusalOf(error)?.code === 'MissingParameter'
  return { sentence: isMissing ? NO_MESSAGE : sentence, field, language }
}
