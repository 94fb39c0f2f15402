import { MAX_ANSWER_BYTES } from './answer-body.ts'

/** Of the text of an answer what is kept. */
export function cut(text: string): string {
  return text.length > MAX_ANSWER_BYTES ? text.slice(0, MAX_ANSWER_BYTES) : text
}

/** What fetch brought, its body read. */
export class FetchAnswer {
  readonly kind = 'answer'
  readonly status: number
  readonly body: string
  readonly #response: Response

  constructor(response: Response, body: string) {
    this.status = response.status
    this.body = body
    this.#response = response
  }

  header(name: string): string | null {
    return this.#response.headers.get(name)
  }
}
