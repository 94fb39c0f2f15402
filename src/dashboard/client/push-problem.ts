import { refusalOf, sentenceOf } from './call.ts'

/** Why a push would be refused, as it is typed. */
export interface PushProblem {
  readonly sentence: string
  /** The field of the API at fault; `null`: none in particular. */
  readonly field: string | null
  /** Of a text in a language its tag. */
  readonly language: string | null
}

/** Of a push to everybody, or to one device. For one to a tag, say, a title is enough. */
const NO_MESSAGE = 'The message is missing. To everybody, and to one device, a title alone does not go.'

/** What to tell of an error, and where: the API begins each sentence about a field with its name. */
export function problemOf(error: unknown): PushProblem {
  const sentence = sentenceOf(error)
  const [, field = null, below = ''] = /^([a-z_]+)((?:[.[][^\s,]*)?)[ ,:]/.exec(sentence) ?? []
  if (field === 'languages') {
    const [, tag = '', text = null] = /^\.([\w-]+)\.(\w+)$/.exec(below) ?? []
    return text === null ? { sentence, field, language: null } : { sentence, field: text, language: tag }
  }
  const isMissing = field === 'msg' && refusalOf(error)?.code === 'MissingParameter'
  return { sentence: isMissing ? NO_MESSAGE : sentence, field, language: null }
}
