// Keeps the state of a scope, where page and worker both find it, and makes the calls that are due.
import { begin, next, step } from './core.js'

const ANSWER_MS = 30_000
/** `bellhop client` writes the release in. */
const CLIENT = 'web/0.0.0'

/** Of older versions there is the token alone. */
function stateOf({ token = null, known, ...rest }) {
  const first = known === undefined && token !== null ? { known: { token, body: {}, at: 0 } } : {}
  return { ...begin('2'), token, ...(known !== undefined && { known }), ...first, ...rest }
}

/** What is kept of a scope, `{ app, home, publicKey, … }` and the state; `undefined`: nothing. */
export async function remembered(scope) {
  return await (await caches.match(placeOf(scope)))?.json()
}

/**
 * Takes events, one after the other whatever tab or worker they happen in, keeps what comes of them, and makes the calls
 * that are due. `config`: takes the place of the one kept. `call`: makes a request in another way. Resolves with what is
 * kept, what was refused (`told`), and the last answer to a registration (`record`).
 */
export function happens(scope, events, { config = {}, call = callHome } = {}) {
  return alone(`bellhop ${scope}`, async () => {
    const kept = { ...(await remembered(scope)), ...config }
    const { app, home, publicKey, receipts, clear, ...before } = kept
    const own = { app, home, publicKey, receipts, clear }
    let state = stateOf(before)
    const told = []
    let record = null
    const take = async (event) => {
      const found = step(state, event, Date.now(), Math.random())
      state = found.state
      if (found.tell !== null) told.push(found.tell)
      await (await caches.open('bellhop')).put(placeOf(scope), Response.json({ ...own, ...state }))
    }
    for (const event of events) await take(event)
    if (app !== undefined) {
      for (let due = next(state, Date.now()); due !== null; due = next(state, Date.now())) {
        const answer = await call(due, own).catch(() => null)
        if (answer !== null && answer.status < 300 && due.kind === 'register') record = answer.body
        await take(
          answer === null ? { kind: 'failed', request: due } : { ...said(answer), kind: 'answered', request: due },
        )
      }
    }
    return { ...own, ...state, told, record }
  })
}

function said({ status, retryAfterS, body }) {
  const { code, message } = body ?? {}
  return {
    status,
    ...(retryAfterS !== undefined && { retryAfterS }),
    ...(typeof code === 'string' && { code }),
    ...(message !== undefined && { message }),
  }
}

async function callHome({ path, body }, { home, app }) {
  const answer = await fetch(new URL(path, home), {
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      'accept-version': '1',
      'x-service-appid': app,
      'x-bellhop-client': CLIENT,
    },
    body: JSON.stringify(body),
    keepalive: true,
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  const retryAfterS = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const text = await answer.text()
  return { status: answer.status, ...(retryAfterS >= 0 && { retryAfterS }), body: jsonOf(text) }
}

/** What a proxy says is no JSON. */
export function jsonOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A browser without locks takes them as they come. */
function alone(name, work) {
  return navigator.locks === undefined ? work() : navigator.locks.request(name, work)
}

function placeOf(scope) {
  return new URL('?bellhop', scope)
}

/** A tap that opened a page is kept until the page listens. */
const tapOf = (scope) => new URL('?bellhop-tap', scope)

export async function keepTap(scope, tap) {
  await (await caches.open('bellhop')).put(tapOf(scope), Response.json(tap))
}

/** The tap that was kept; `null`: there is none, or another page has it. */
export async function takeTap(scope) {
  const memory = await caches.open('bellhop')
  const tap = await (await memory.match(tapOf(scope)))?.json()
  return tap !== undefined && (await memory.delete(tapOf(scope))) ? tap : null
}
