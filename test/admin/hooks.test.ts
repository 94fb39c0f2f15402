import { describe, expect, test } from 'bun:test'
import { createAdminCaller } from './admin-caller.ts'
import { fileService } from '../support/file-service.ts'

const TEMPLATE = JSON.stringify({ event: '{{ id }}', push: { users: ['{{ user }}'], msg: 'Hello {{ @x-name }}' } })

const service = await fileService()
const call = createAdminCaller(service)

const newPath = () => `/api/applications/${service.addApplication(crypto.randomUUID()).id}/hooks`

describe('the hooks of an application', () => {
  test('are made, with the key in that answer alone, changed and deleted, and the audit log says so without it', async () => {
    const path = newPath()
    expect((await call('GET', path)).body).toEqual({ hooks: [] })
    const { status, body } = await call('PUT', `${path}/first`, { template: TEMPLATE })
    const hook = { name: 'first', template: TEMPLATE, signature: null, changedAt: expect.any(String), calls: [] }
    expect({ status, body }).toEqual({
      status: 200,
      body: { hook, path: expect.stringMatching(/^\/hook\/first\/bhh_/) },
    })
    expect(await call.newest()).toMatchObject({ who: 'token test', action: 'set hook', detail: { hook: 'first' } })
    expect(JSON.stringify(await call.newest())).not.toContain('bhh_')
    expect((await call('GET', path)).body).toEqual({ hooks: [hook] })
    expect((await call('PUT', `${path}/first`, { template: TEMPLATE })).body.path).toBe('/hook/first')
    expect((await call('PUT', `${path}/first`, { template: TEMPLATE, newKey: true })).body.path).not.toBe(body.path)
    const secret = 'a secret of GitHub'
    const signed = await call('PUT', `${path}/first`, { template: TEMPLATE, signature: 'github', secret })
    expect(signed.body).toMatchObject({ hook: { signature: 'github' }, path: '/hook/first' })
    expect(JSON.stringify([await call.newest(), signed.body])).not.toContain(secret)

    expect(await call('DELETE', `${path}/first`)).toMatchObject({ status: 200, body: { hooks: [] } })
    expect(await call.newest()).toMatchObject({ action: 'delete hook', detail: { hook: 'first' } })
    expect(await call('DELETE', `${path}/first`)).toMatchObject({ status: 404, body: { message: 'No hook found' } })
  })

  test('are refused with all that is wrong, and those of other applications stay', async () => {
    const path = newPath()
    expect(await call('PUT', `${path}/A`, { template: '{', signature: 'github' })).toMatchObject({
      status: 400,
      body: {
        code: 'InvalidArgument',
        message:
          'name must be a name of 1 to 63 characters of a-z, 0-9, - and _, which starts with a letter or digit. template is not right: the template is not a JSON object. secret is required: what the sender signs with.',
      },
    })
    expect(await call('PUT', `${path}/second`, { template: TEMPLATE, signature: 'md5' })).toMatchObject({
      status: 400,
      body: { message: 'signature must be one of standard, github, stripe, not "md5".' },
    })
    expect(await call('PUT', `${path}/second`, {})).toMatchObject({ status: 409, body: { code: 'MissingParameter' } })
    await call('PUT', `${path}/second`, { template: TEMPLATE })
    const other = newPath()
    expect(await call('PUT', `${other}/second`, { template: TEMPLATE })).toMatchObject({
      status: 409,
      body: { code: 'ConflictError', message: 'hook second belongs to another application.' },
    })
    expect(await call('DELETE', `${other}/second`)).toMatchObject({ status: 404 })
  })

  test('that must be new leave one of the same name as it is, with its key', async () => {
    const path = newPath()
    const asNew = { template: TEMPLATE, isNew: true }
    const { body } = await call('PUT', `${path}/third`, asNew)
    const before = (await call('GET', path)).body
    const template = JSON.stringify({ push: { users: ['ann'], msg: 'Other' } })
    expect(await call('PUT', `${path}/third`, { ...asNew, template, newKey: true })).toMatchObject({
      status: 409,
      body: { code: 'ConflictError', message: 'There is a hook third already.' },
    })
    expect((await call('GET', path)).body).toEqual(before)
    const { status } = await fetch(service.url + body.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"id": "e1", "user": "ann"}',
    })
    expect(status).not.toBe(401)
    expect(await call('PUT', `${path}/third`, { ...asNew, isNew: 1 })).toMatchObject({
      status: 400,
      body: { message: 'isNew must be true or false, not 1.' },
    })
  })

  test('are previewed with an example, which sends nothing and changes nothing', async () => {
    const path = `${newPath()}/preview`
    const before = (await call.newest())?.at
    const preview = async (example: string, more: object = {}) =>
      (await call('POST', path, { template: TEMPLATE, example, ...more })).body
    expect(await preview('{"id": "e1", "user": "ann"}', { headers: { 'X-Name': 'Ann' } })).toEqual({
      outcome: 'pushed',
      why: null,
      body: { users: ['ann'], msg: 'Hello Ann' },
      event: 'e1',
      devices: 0,
    })
    expect(await preview('{"id": "e1", "user": "ann"}')).toMatchObject({
      outcome: 'refused',
      why: 'The template of hook new does not fit: push.msg asks for @x-name, which is missing.',
    })
    expect(await preview('[]')).toMatchObject({
      code: 'InvalidArgument',
      message: expect.stringContaining('example must be'),
    })
    expect(await preview('{}', { template: '{}' })).toMatchObject({
      message: 'template is not right: push must be an object: the body of /push/all.',
    })
    expect((await call.newest())?.at).toBe(before)
  })
})
