// oxlint-disable-next-line import/default -- the text of the file, not what it exports
import client from '../../client/web/client.js' with { type: 'text' }
// oxlint-disable-next-line import/default -- the text of the file, not what it exports
import core from '../../client/web/core.js' with { type: 'text' }
// oxlint-disable-next-line import/default -- the text of the file, not what it exports
import keeper from '../../client/web/keeper.js' with { type: 'text' }
// oxlint-disable-next-line import/default -- the text of the file, not what it exports
import worker from '../../client/web/worker.js' with { type: 'text' }
import { fixedContent } from '../../http/fixed-content.ts'
// oxlint-disable-next-line import/default -- the text of the file, not what it exports
import page from './browser/page.js' with { type: 'text' }

/** Registers a browser; for the page. An ES module. */
export const clientScript = () => oneFileOf(inner(core), inner(keeper), client)

/**
 * The service worker, which shows pushes; for `importScripts`. In a block of its own, since it shares its globals with the
 * worker of a site that imports it.
 */
export const workerScript = () => oneFileOf("'use strict'\n{", inner(core), inner(keeper), worker, '}')

export const CLIENT = script(clientScript)
export const PAGE = script(() => page)

/** The scope of a worker can only be below its own folder. */
export const WORKER = script(workerScript)

/** A handler that answers with a script. */
function script(text: () => string) {
  const headers = { 'x-content-type-options': 'nosniff' }
  return fixedContent(() => new Blob([text()]), { type: 'text/javascript; charset=utf-8', headers })
}

/** Of files that import each other one that imports nothing, without comments. */
function oneFileOf(...texts: readonly string[]): string {
  const whole = texts.map((text) => text.replaceAll(/^import .*\n/gm, '')).join('\n')
  return new Bun.Transpiler({ loader: 'js', minifyWhitespace: true }).transformSync(whole)
}

function inner(text: string): string {
  return text.replaceAll(/^export /gm, '')
}
