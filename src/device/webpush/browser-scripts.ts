import { fixedContent } from '../../http/fixed-content.ts'
// oxlint-disable-next-line import/default -- the text of the file, not what it exports
import client from './browser/client.js' with { type: 'text' }
// oxlint-disable-next-line import/default -- the text of the file, not what it exports
import worker from './browser/worker.js' with { type: 'text' }

/** With which a page registers a browser. */
export const CLIENT = script(client)

/** What shows a push in a browser. It may only have scopes below its own folder. */
export const WORKER = script(worker)

/** A handler that answers with a script. */
export function script(text: string) {
  const headers = { 'x-content-type-options': 'nosniff' }
  return fixedContent(() => new Blob([text]), { type: 'text/javascript; charset=utf-8', headers })
}
