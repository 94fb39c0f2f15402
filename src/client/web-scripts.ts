import client from './web/client.js' with { type: 'text' }
import core from './web/core.js' with { type: 'text' }
import keeper from './web/keeper.js' with { type: 'text' }
import withdrawal from './web/withdrawal.js' with { type: 'text' }
import worker from './web/worker.js' with { type: 'text' }

/**
 * An ES module that registers a browser, without comments. `named`: how its calls identify it: `web/1.2.0`, or `web` if
 * a server serves it, to hide the release.
 */
export const clientScript = (named: string) => oneFileOf(named, inner(core), inner(keeper), client)

/** The service worker, for `importScripts`. In a block, since it shares its globals with the site's own worker. */
export const workerScript = (named: string) =>
  oneFileOf(named, "'use strict'\n{", inner(core), inner(keeper), inner(withdrawal), worker, '}')

/** Joins files that import each other. */
function oneFileOf(named: string, ...texts: readonly string[]): string {
  const whole = texts.map((text) => text.replaceAll(/^import .*\n/gm, '')).join('\n')
  return new Bun.Transpiler({ loader: 'js', minifyWhitespace: true }).transformSync(whole.replace('web/0.0.0', named))
}

function inner(text: string): string {
  return text.replaceAll(/^export /gm, '')
}
