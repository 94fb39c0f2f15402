import { beforeAll, expect, test } from 'bun:test'
import { createAdminTokenStore } from '../../src/admin/admin-token-store.ts'
import { systemClock } from '../../src/clock.ts'
import { fileService } from '../support/file-service.ts'
import { callAsPage } from './admin-caller.ts'

/* What an administrator or a token has made, when it is no more. */
const service = await fileService()
const tokens = createAdminTokenStore({ database: service.database, clock: systemClock })
const operator = tokens.add('operator', { purpose: 'administer', expiresAt: null }) ?? ''
const PASSWORD = 'correct horse battery'
const SPENT = {
  code: 'ResourceNotFound',
  message:
    'This link was used, is older than 30 minutes, or ended with whoever made it. Create another with bellhop admin link.',
}

const call = (method: string, path: string, sent: Parameters<typeof callAsPage>[3] = { token: operator }) =>
  callAsPage(service.adminUrl, method, path, sent)

type Caller = { readonly cookie: string } | { readonly token: string }

const newLink = async (by: Caller) => (await call('POST', '/api/administrators', by)).body.link as string
const newToken = async (by: Caller, name: string) =>
  (await call('POST', '/api/tokens', { ...by, body: { name, purpose: 'administer', expiresInDays: 'never' } })).body
    .token as string

async function newAdministrator(name: string): Promise<Caller> {
  const link = await newLink({ token: operator })
  const { headers } = await call('POST', '/api/link', { body: { link, name, password: PASSWORD } })
  return { cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' }
}

async function signInLink(by: Caller, name: string): Promise<string> {
  const headers = 'cookie' in by ? { cookie: by.cookie } : { authorization: `Bearer ${by.token}` }
  const response = await fetch(`${service.adminUrl}/api/command`, {
    method: 'POST',
    headers: { ...headers, origin: service.adminUrl, 'content-type': 'application/json' },
    body: JSON.stringify({ argv: ['admin', 'link', name, '--json'] }),
  })
  return (await response.text()).match(/#([\w-]{43})/)?.[1] ?? ''
}

async function used(link: string) {
  const { status, body } = await call('POST', '/api/link', { body: { link, name: 'back', password: PASSWORD } })
  return status === 200 ? 'used' : body
}

// The last one cannot be removed.
beforeAll(() => newAdministrator('kim'))

test('a link ends with the administrator that made it, and those of others stay', async () => {
  const [ann, mal] = [await newAdministrator('ann'), await newAdministrator('mal')]
  const links = [await newLink(mal), await signInLink(mal, 'ann')]
  const other = await newLink(ann)
  expect((await call('DELETE', '/api/administrators/MAL')).status).toBe(200)
  for (const link of links) expect(await used(link)).toEqual(SPENT)
  expect(await used(other)).toBe('used')
})

test('a link ends with the token that made it', async () => {
  const token = await newToken({ token: operator }, 'ci')
  const link = await newLink({ token })
  expect((await call('DELETE', '/api/tokens/CI')).status).toBe(200)
  expect(await used(link)).toEqual(SPENT)
})

test('tokens stay, since programs use them, and are named when whoever made them is removed', async () => {
  const eve = await newAdministrator('eve')
  const first = await newToken(eve, 'first')
  await newToken({ token: first }, 'second')
  const third = await newToken(eve, 'third')
  await newToken({ token: third }, 'fourth')
  const { tokens: listed } = (await call('GET', '/api/tokens')).body
  expect(listed.find(({ name }: { name: string }) => name === 'second')).toMatchObject({ madeBy: 'token first' })
  // So that nobody hides a token behind one that is no more.
  expect((await call('DELETE', '/api/tokens/third', eve)).body).toEqual({
    message: 'Token revoked. Tokens made with it still work: fourth.',
  })
  expect((await call('DELETE', '/api/administrators/eve')).body).toEqual({
    message: 'Administrator removed. Tokens that this administrator made still work: first, fourth, second.',
  })
  expect((await call('GET', '/api/tokens', { token: first })).status).toBe(200)
})
