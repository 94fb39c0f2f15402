import { fixedContent } from '../../http/fixed-content.ts'
// oxlint-disable-next-line import/default -- the text of the file, not what it exports
import client from './browser/client.js' with { type: 'text' }
// oxlint-disable-next-line import/default -- the text of the file, not what it exports
import worker from './browser/worker.js' with { type: 'text' }

/** Registers a browser; for the page. */
export const CLIENT = script(client)

/** The service worker, which shows pushes. Its scope can only be below its own folder. */
export const WORKER = script(worker)

/** A handler that answers with a script. */
export function script(text: string) {
  const headers = { 'x-content-type-options': 'nosniff' }
  return fixedContent(() => new Blob([text]), { type: 'text/javascript; charset=utf-8', headers })
}
