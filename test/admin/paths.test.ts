import { expect, test } from 'bun:test'
import { fileService } from '../support/file-service.ts'
import { createAdminCaller } from './admin-caller.ts'

const service = await fileService()
const call = createAdminCaller(service)

test.each(['%zz', '%', '%E0%A4%A', '%FF'])('a path with %s, which stands for no text, does not exist', async (part) => {
  for (const [method, path] of [
    ['DELETE', `/api/tokens/${part}`],
    ['DELETE', `/api/administrators/${part}`],
    ['GET', `/api/applications/${part}`],
    ['PATCH', `/api/applications/${part}`],
    ['PUT', `/api/applications/${service.application.id}/hooks/${part}`],
    ['POST', `/api/applications/${service.application.id}/v1/push/${part}/cancel`],
    ['GET', `/pushes/${part}`],
  ] as const) {
    const { status, body } = await call(method, path, method === 'GET' ? undefined : {})
    expect({ path, status, body }).toEqual({
      path,
      status: 404,
      body: { code: 'ResourceNotFound', message: `${path} does not exist` },
    })
  }
  expect(service.log.filter(({ level }) => level === 'error')).toEqual([])
})

test('a name in a path may be encoded', async () => {
  const name = 'ci ü/2'
  expect((await call('POST', '/api/tokens', { name })).status).toBe(200)
  expect((await call('DELETE', `/api/tokens/${encodeURIComponent(name)}`)).status).toBe(200)
  expect(await call.newest()).toMatchObject({ action: 'revoke token', subject: name })
})

test('an empty name is none', async () => {
  const { status, body } = await call('DELETE', '/api/tokens/')
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'ResourceNotFound' })
})
