import { describe, expect, test } from 'bun:test'
import { commandLine } from '../../cli/command-line.ts'
import { fileService } from '../../support/file-service.ts'
import { newCaller } from '../../support/caller.ts'

const PHONE = { token: 'phone:1', platform: '1' }

const service = await fileService()

describe('X-BELLHOP-CLIENT in PUT /deviceToken', () => {
  async function registered(client: string) {
    const caller = newCaller(service)
    const headers = { 'x-bellhop-client': client }
    const { application } = caller
    expect((await service.put('/deviceToken', PHONE, { application, as: 'device', headers })).status).toBe(201)
    return (await caller.devices())[0]
  }

  test('is the client library of the device', async () => {
    expect(await registered('kotlin/1.2.0')).toMatchObject({ client: 'kotlin/1.2.0' })
    expect(await registered('web/2.0.0-rc.1')).toMatchObject({ client: 'web/2.0.0-rc.1' })
  })

  test.each(['web', 'web/', 'Web/1.2.0', '1.2.0', `web/1.2.0${'x'.repeat(25)}`, 'a b/1.2.0'])(
    'is not kept where it is no name and version: %s',
    async (client) => {
      expect(await registered(client)).not.toHaveProperty('client')
    },
  )

  test('stays where a call says nothing of it', async () => {
    const caller = newCaller(service)
    const headers = { 'x-bellhop-client': 'kotlin/1.2.0' }
    await service.put('/deviceToken', PHONE, { application: caller.application, as: 'device', headers })
    await caller.register({ ...PHONE, tag: ['beta'] })
    expect(await caller.devices()).toMatchObject([{ client: 'kotlin/1.2.0', tag: ['beta'] }])
  })

  test('lets the doctor say which apps have an old library', async () => {
    const { application } = newCaller(service)
    for (const [token, client] of [
      ['phone:1', 'kotlin/0.0.9'],
      ['phone:2', 'kotlin/0.0.9'],
      ['phone:3', 'kotlin/0.1.0'],
    ] as const) {
      const headers = { 'x-bellhop-client': client }
      await service.put('/deviceToken', { ...PHONE, token }, { application, as: 'device', headers })
    }
    using line = commandLine()
    const { stdout } = await line.run(['doctor', application.id, '--offline', '--json'], { BELLHOP_DATA: service.data })
    expect(stdout).toContain('Client libraries: kotlin/0.0.9 on 2 devices, kotlin/0.1.0 on 1 device.')
  })
})
