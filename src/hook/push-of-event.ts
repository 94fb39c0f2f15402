import { failure, refusalIn } from '../failure.ts'
import type { Failure } from '../failure.ts'
import { unknownField } from '../audience/unknown-fields.ts'
import { pushBodies } from '../push/push-schema.ts'
import type { PushToAll } from '../push/push-to-all.ts'
import type { Hook } from './hook.ts'
import type { HookEvent } from './placeholder.ts'
import { usualEvent } from './sender-proof.ts'
import { isFixed, readTemplate, render } from './template.ts'

/** `body`: of a call to `/push/all`. `event`: its ID, for deduplication. */
export type PushOfEvent =
  | {
      readonly kind: 'push'
      readonly body: Readonly<Record<string, unknown>>
      readonly push: PushToAll
      readonly event: string | null
    }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: Failure }

const { schema, '~standard': BODY } = pushBodies({ compat: false }).toAll
const KNOWN = Object.keys(schema['properties'] as object)

/** Throws for a template that `templateProblems` refuses. */
export function pushOfEvent(
  { name, template, signature }: Pick<Hook, 'name' | 'template' | 'signature'>,
  event: HookEvent,
): PushOfEvent {
  const read = readTemplate(template)
  if ('problems' in read) throw new Error(`the template of hook ${name} cannot be read: ${read.problems.join('; ')}`)
  const rendered = render(read, event, usualEvent(signature))
  if (rendered.kind === 'ignored') return rendered
  if (rendered.kind === 'unfit') {
    const sentence = `The template of hook ${name} does not fit: ${rendered.problem}.`
    return { kind: 'refused', why: failure('InvalidArgument', sentence) }
  }
  try {
    return { ...rendered, push: BODY.validate(rendered.body).value }
  } catch (error) {
    return { kind: 'refused', why: refusalIn(error) }
  }
}

/** Each a sentence. */
export function templateProblems(text: string): readonly string[] {
  const read = readTemplate(text)
  if ('problems' in read) return read.problems.map(sentence)
  const unknown = Object.keys(read.push).filter((name) => !KNOWN.includes(name))
  if (unknown.length > 0) return unknown.map((name) => `push.${unknownField(name, KNOWN).message}`)
  if (!isFixed(read)) return []
  const rendered = render({ ...read, where: [], event: null }, { body: {}, header: () => null }, null)
  if (rendered.kind !== 'push') return rendered.kind === 'unfit' ? [sentence(rendered.problem)] : []
  try {
    BODY.validate(rendered.body)
    return []
  } catch (error) {
    return [`push.${refusalIn(error).message}`]
  }
}

const sentence = (text: string) => (text.endsWith('?') ? text : `${text}.`)
