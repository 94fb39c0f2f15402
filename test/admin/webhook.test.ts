import { describe, expect, test } from 'bun:test'
import { fileService } from '../support/file-service.ts'
import { startReceiver } from '../support/receiver.ts'
import { startService } from '../support/service.ts'
import { createAdminCaller } from './admin-caller.ts'

const EVENTS = ['push.finished', 'device.gone', 'credential.paused', 'credential.resumed']
const SECRET = `whsec_${'A'.repeat(43)}=`

const service = await fileService({ config: { webhookPrivate: true } })
const call = createAdminCaller(service)

const pathOf = () => `/api/applications/${service.addApplication(crypto.randomUUID()).id}`

describe('the webhook of an application', () => {
  test('is set with a secret that is shown once, changed, and taken away', async () => {
    const path = `${pathOf()}/webhook`
    expect((await call('GET', path)).body).toEqual({ webhook: null })
    const { status, body } = await call('PUT', path, { url: 'https://hooks.test/a' })
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const webhook = { url: 'https://hooks.test/a', events: EVENTS, disabledAt: null }
    expect({ status, body }).toEqual({ status: 200, body: { webhook, secret: body.secret, note: null } })
    expect((await call('GET', path)).body).toEqual({ webhook })

    const changed = await call('PUT', path, { events: ['device.gone', 'push.opened'] })
    const events = ['push.opened', 'device.gone']
    expect(changed.body).toEqual({ webhook: { ...webhook, events }, secret: null, note: null })
    expect((await call.newest()).changes).toEqual({ events: { before: EVENTS, after: events } })
    expect((await call('PUT', path, { secret: SECRET })).body.secret).toBeNull()
    expect(JSON.stringify((await call.newest()).detail)).not.toContain('whsec_')
    const { secret } = (await call('PUT', path, { secret: 'new' })).body
    expect(secret).not.toBe(body.secret)
    expect(await call.newest()).toMatchObject({
      who: 'token test',
      action: 'set webhook',
      detail: { secret: 'changed' },
    })

    expect(await call('DELETE', path)).toMatchObject({ status: 200, body: { webhook: null } })
    expect(await call.newest()).toMatchObject({
      action: 'remove webhook',
      changes: { webhook: { before: 'https://hooks.test', after: null } },
    })
    expect(await call('DELETE', path)).toMatchObject({
      status: 404,
      body: { code: 'ResourceNotFound', message: 'No webhook found' },
    })
  })

  test('is shown by its origin to tokens that may not change it, since many receivers have a secret in the path', async () => {
    const { id } = service.addApplication('Secretive')
    const path = `/api/applications/${id}`
    const url = 'https://hooks.test/services/T0/secret?token=secret'
    await call('PUT', `${path}/webhook`, { url })
    for (const [purpose, shown] of [
      ['send', 'https://hooks.test'],
      ['operate', url],
    ] as const) {
      const { token } = (await call('POST', '/api/tokens', { name: purpose, purpose })).body
      const get = async (of: string) => {
        const { body } = await call('GET', of, undefined, { authorization: `Bearer ${token}` })
        return body
      }
      for (const command of ['show', 'webhook']) {
        const response = await fetch(`${service.adminUrl}/api/command`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ argv: ['app', command, id] }),
        })
        const said = await response.text()
        expect([command, said.includes('https://hooks.test'), said.includes('/services')]).toEqual([
          command,
          true,
          shown === url,
        ])
      }
      const { webhooks } = await get('/api/webhooks')
      expect(webhooks.find((one: any) => one.application.id === id).url).toBe(shown)
      expect((await get(`${path}/webhook`)).webhook.url).toBe(shown)
      expect((await get(path)).webhook.url).toBe(shown)
    }
  })

  test('is told of what happens, signed with that secret', async () => {
    await using receiver = await startReceiver({ plain: true })
    const path = pathOf()
    const url = `http://127.0.0.1:${receiver.port}/hooks`
    expect((await call('PUT', `${path}/webhook`, { url, secret: SECRET })).body).toMatchObject({ note: null })
    await call('POST', `${path}/v1/push/all`, { platform: [0], msg: 'Hello', sound: '', badge: '' })
    await receiver.arrived(1)
  })

  test('is set where the service does not send, which is said', async () => {
    await using other = await startService()
    const { id } = other.addApplication('shop')
    const { body } = await createAdminCaller(other)('PUT', `/api/applications/${id}/webhook`, {
      url: 'https://10.0.0.1/hooks',
    })
    expect(body).toMatchObject({ note: 'The server sends to a private address only with --webhook-private.' })
  })

  test('is refused where something is wrong with it, which is named', async () => {
    const path = `${pathOf()}/webhook`
    const wrong = async (body: object) => (await call('PUT', path, body)).body
    expect(await call('PUT', path, {})).toMatchObject({ status: 409, body: { code: 'MissingParameter' } })
    expect(await wrong({ url: 'http://8.8.8.8/' })).toEqual({
      code: 'InvalidArgument',
      message: 'url must be https: http is for private addresses only, not "http://8.8.8.8/".',
    })
    expect((await wrong({ url: 'ftp://hooks.test/' })).message).toStartWith('url must be an https address')
    for (const events of [[], ['push.sent'], 'push.finished']) {
      expect((await wrong({ url: 'https://hooks.test/', events })).message).toStartWith(
        'events must be some of push.finished, push.opened, ',
      )
    }
    expect(await wrong({ url: 'https://hooks.test/', secret: 'whsec_short' })).toEqual({
      code: 'InvalidArgument',
      message: 'secret must be new, or whsec_ and the base64 of 24 to 64 bytes.',
    })
    expect((await wrong({ url: 'https://hooks.test/', event: [] })).message).toStartWith('"event" is not known here.')
    expect((await call('GET', path)).body).toEqual({ webhook: null })
  })
})
