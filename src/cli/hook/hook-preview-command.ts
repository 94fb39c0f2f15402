import { createDeviceStore } from '../../device/device-store.ts'
import { problem } from '../../failure.ts'
import { previewEvent } from '../../hook/preview-event.ts'
import { templateProblems } from '../../hook/push-of-event.ts'
import type { HookEvent } from '../../hook/placeholder.ts'
import { jsonLine } from '../../text/escape-controls.ts'
import { parseJsonObject } from '../../text/json-object.ts'
import { done, FINE, problems } from '../command.ts'
import type { CheckArguments, CommandOutcome, ParsedArguments, RunOnData } from '../command.ts'
import { previewText } from '../push/push-text.ts'
import { styleOf } from '../terminal/style.ts'
import { findHook } from '../find-application.ts'
import { jsonText } from './hook-text.ts'
import { readGivenFile } from '../read-given-file.ts'

export const check: CheckArguments = ({ flags }) => {
  const headers = readHeaders(flags)
  const wrong = [
    ...(flags.has('example') ? [] : ['hook preview needs --example FILE: the body of a call of the service.']),
    ...('line' in headers ? [`--header "${headers.line}" is not NAME: VALUE.`] : []),
  ]
  return wrong.length === 0 ? FINE : problems(...wrong)
}

export const run: RunOnData = async ({ words: [name = ''], flags }, world) => {
  const found = findHook(name, world)
  if (found.kind !== 'found') return found
  const file = readGivenFile(flags.get('example') ?? '', world)
  if (file.kind === 'problem') return file
  const event = readEvent(file.text, flags)
  if ('kind' in event) return event
  const other = flags.get('template')
  const template =
    other === undefined ? ({ kind: 'read', text: found.hook.template } as const) : readGivenFile(other, world)
  if (template.kind === 'problem') return template
  const wrong = templateProblems(template.text)
  if (wrong.length > 0) return problems(...wrong.map((sentence) => `--template is not right: ${sentence}`))

  const hook = { ...found.hook, template: template.text }
  const devices = createDeviceStore(world)
  const previewed = await previewEvent({ ...world, devices, pushing: world.pushing() }, found.application, hook, event)
  if (previewed.kind === 'refused') return problem(previewed.why.message)
  if (flags.has('json')) return done(jsonLine(previewed))
  if (previewed.kind === 'ignored') return done(`Nothing would be sent: ${previewed.why}.\n`)
  const told =
    previewed.event === null
      ? 'Nothing tells this event from others: each call is a push.'
      : 'A repeated call of this event is no second push.'
  return done(`${jsonText(previewed.body)}\n\n${told}\n${previewText(previewed.preview, styleOf(world))}`)
}

function readEvent(text: string, flags: ParsedArguments['flags']): HookEvent | CommandOutcome {
  const body = parseJsonObject(text)
  const headers = readHeaders(flags)
  if (body === null) return problem('--example is not a JSON object.')
  return { body, header: (name) => ('line' in headers ? null : (headers.get(name) ?? null)) }
}

/** Names in lower case. `line`: the first that is not a header. */
function readHeaders(flags: ParsedArguments['flags']): ReadonlyMap<string, string> | { readonly line: string } {
  const headers = new Map<string, string>()
  for (const line of flags.get('header')?.split(',') ?? []) {
    const [, name, value = ''] = /^\s*([\w-]+):\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined) return { line }
    headers.set(name.toLowerCase(), value)
  }
  return headers
}
