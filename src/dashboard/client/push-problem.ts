import { refusalOf, sentenceOf } from './call.ts'

export interface PushProblem {
  readonly sentence: string
  /** Of the API; `null`: none in particular. */
  readonly field: string | null
  /** The tag, if a text in a language is at fault. */
  readonly language: string | null
}

/** For a push with filters a title is enough. */
const NO_MESSAGE = 'The message is missing. A push to everyone or to one device needs more than a title.'

/** The API begins each sentence about a field with its name. */
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
