import type { HookCall } from '../../hook/hook-call-store.ts'
import type { Hook } from '../../hook/hook.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { isoTime } from '../../text/format.ts'

export function proofText({ signature }: Hook): string {
  return signature === null ? 'key' : `${signature} signature`
}

/** Times in ISO 8601 UTC. `application`: its ID. */
export function hookJson({ name, signature, createdAt, changedAt }: Hook, application: string): object {
  return { name, application, signature, createdAt: isoTime(createdAt), changedAt: isoTime(changedAt) }
}

/** Control characters are escaped. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).split('\n').map(escapeControls).join('\n')
}

export function callJson({ at, outcome, detail, repeats }: HookCall): object {
  return { at: isoTime(at), outcome, ...(outcome === 'pushed' ? { push: detail } : { why: detail }), repeats }
}
