// oxlint-disable import/default -- the texts of the files, not what they export
import client from './web/client.js' with { type: 'text' }
import core from './web/core.js' with { type: 'text' }
import keeper from './web/keeper.js' with { type: 'text' }
import withdrawal from './web/withdrawal.js' with { type: 'text' }
import worker from './web/worker.js' with { type: 'text' }

/**
 * Registers a browser; for the page. An ES module, without comments. `named`: what its calls say it is: `web/1.2.0`, or
 * `web`, where a server serves it, which tells nobody its release.
 */
export const clientScript = (named: string) => oneFileOf(named, inner(core), inner(keeper), client)

/**
 * The service worker, which shows pushes; for `importScripts`. In a block of its own, since it shares its globals with the
 * worker of a site that imports it.
 */
export const workerScript = (named: string) =>
  oneFileOf(named, "'use strict'\n{", inner(core), inner(keeper), inner(withdrawal), worker, '}')

/** Of files that import each other one that imports nothing. */
function oneFileOf(named: string, ...texts: readonly string[]): string {
  const whole = texts.map((text) => text.replaceAll(/^import .*\n/gm, '')).join('\n')
  return new Bun.Transpiler({ loader: 'js', minifyWhitespace: true }).transformSync(whole.replace('web/0.0.0', named))
}

function inner(text: string): string {
  return text.replaceAll(/^export /gm, '')
}
