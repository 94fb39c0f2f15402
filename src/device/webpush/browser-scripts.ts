import { clientScript, workerScript } from '../../client/web-scripts.ts'
import { fixedContent } from '../../http/fixed-content.ts'
import page from './browser/page.js' with { type: 'text' }

export const CLIENT = script(() => clientScript('web'))
/** A worker's scope can only be below its own folder. */
export const WORKER = script(() => workerScript('web'))
export const PAGE = script(() => page)

function script(text: () => string) {
  const headers = { 'x-content-type-options': 'nosniff' }
  return fixedContent(() => new Blob([text()]), { type: 'text/javascript; charset=utf-8', headers })
}
