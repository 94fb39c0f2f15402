import { afterAll, beforeAll, expect, test } from 'bun:test'
import { session } from '../../src/dashboard/client/call.ts'
import { adminCurl, publicCurl, reachable } from '../../src/dashboard/client/curl.ts'

const scope = globalThis as { location?: unknown }
beforeAll(() => {
  scope.location = { origin: 'http://127.0.0.1:8791', hostname: '127.0.0.1' }
  session.value = {
    administrator: { name: 'ann' },
    token: null,
    step: null,
    isSetUp: true,
    service: { version: '1.0.0', url: 'https://push.example.com' },
  }
})
afterAll(() => {
  delete scope.location
  session.value = null
})

/** The arguments after a shell has read the command. */
function argumentsOf(command: string): readonly string[] {
  const { stdout } = Bun.spawnSync(['sh', '-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    env: { BELLHOP_SECRET: 'bhs_x', BELLHOP_ADMIN_TOKEN: 'bha_x' },
  })
  return stdout.toString().split('\0').slice(0, -1)
}

// encodeURIComponent leaves the quote as it is.
const NASTY = `it's "$(id)" \`id\` \\ $HOME; rm & #`

test('whatever is in a call, a shell hands it to curl as it is', () => {
  const path = `/devices/it's$(id);x`
  expect(argumentsOf(adminCurl('PUT', path, { name: NASTY }))).toEqual([
    '-X',
    'PUT',
    `http://127.0.0.1:8791${path}`,
    '-H',
    'Authorization: Bearer bha_x',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify({ name: NASTY }),
  ])
  const call = { method: 'GET', path, application: NASTY, secret: NASTY, headers: { 'X-A': NASTY } }
  expect(argumentsOf(publicCurl(call))).toEqual([
    `https://push.example.com${path}`,
    '-H',
    'Accept-Version: 1',
    '-H',
    `X-SERVICE-APPID: ${NASTY}`,
    '-H',
    `X-SERVICE-SECRET: ${NASTY}`,
    '-H',
    `X-A: ${NASTY}`,
  ])
  expect(argumentsOf(publicCurl({ method: 'GET', path, application: 'app_x' })).at(-1)).toBe('X-SERVICE-SECRET: bhs_x')
})

test('a listener on all addresses is called by the name that the page was called by', () => {
  expect(reachable('http://0.0.0.0:8790', 'push.internal')).toBe('http://push.internal:8790')
  expect(reachable('https://[::]', '[fd00::1]')).toBe('https://[fd00::1]')
  for (const url of ['http://127.0.0.1:8790', 'https://push.example.com', 'http://[::1]:8790', 'http://10.0.0.0:1']) {
    expect(reachable(url, 'x')).toBe(url)
  }
})
