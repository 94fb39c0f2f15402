import { afterAll, describe, expect, test } from 'bun:test'
import { createLogRing } from '../../src/server/log/service-log.ts'
import { createLog } from '../../src/log.ts'
import { fileService } from '../support/file-service.ts'
import { startReceiver } from '../support/receiver.ts'
import { startService } from '../support/service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'
import { createAdminCaller, eventsOf } from './admin-caller.ts'

const folder = temporaryDirectory('bellhop')
const service = await fileService({ config: { backup: folder.path, backupVerify: 'off', webhookPrivate: true } })
const call = createAdminCaller(service)
afterAll(() => folder[Symbol.dispose]())

const actions = async () =>
  (await call('GET', '/api/log')).body.entries.map(({ action }: { action: string }) => action) as string[]

describe('backups', () => {
  test('are made when somebody asks, and listed', async () => {
    expect((await call('GET', '/api/backups')).body).toEqual({
      schedule: { everyHours: 24, lastSuccessAt: null, lastError: null, isMaking: false, verified: null },
      backups: [],
      problem: null,
    })
    // Two administrators at once: whichever comes first.
    const both = await Promise.all([call('POST', '/api/backups'), call('POST', '/api/backups')])
    const [first, second] = both.toSorted((a, b) => a.status - b.status)
    expect(first).toMatchObject({ status: 200, body: { schedule: { isMaking: true } } })
    expect(second).toMatchObject({
      status: 409,
      body: { code: 'ConflictError', message: 'A backup is already in progress.' },
    })
    await until(async () => (await call('GET', '/api/backups')).body.schedule.isMaking === false)
    const { body } = await call('GET', '/api/backups')
    expect(body).toMatchObject({
      schedule: { lastSuccessAt: expect.any(String), lastError: null },
      backups: [{ name: expect.stringMatching(/^bellhop-.*\.db$/), bytes: expect.any(Number), at: expect.any(String) }],
    })
    expect(await actions()).toContain('make backup')
  })

  test('are none where none are wanted', async () => {
    await using other = await startService()
    const without = createAdminCaller(other)
    expect((await without('GET', '/api/backups')).body).toEqual({ schedule: null, backups: [], problem: null })
    expect(await without('POST', '/api/backups')).toMatchObject({
      status: 409,
      body: { code: 'ConflictError', message: 'Backups are off: set --backup.' },
    })
  })
})

describe('webhooks', () => {
  test('are listed with what waits for them, and tried again', async () => {
    await using receiver = await startReceiver({ plain: true })
    receiver.answer = (response) => response.writeHead(503).end()
    const application = service.addApplication('Hooked')
    service.hook(application, {
      url: `http://127.0.0.1:${receiver.port}/hooks`,
      events: ['push.finished'],
      secret: `whsec_${'A'.repeat(43)}=`,
    })
    const path = `/api/applications/${application.id}`
    await call('POST', `${path}/v1/push/all`, { platform: [0], msg: 'Hello', sound: '', badge: '' })
    await receiver.arrived(1)
    await until(async () => (await call('GET', '/api/webhooks')).body.webhooks[0]?.next[0]?.attempts === 1)
    const { body } = await call('GET', '/api/webhooks')
    expect(body.webhooks).toEqual([
      {
        application: { id: application.id, name: 'Hooked' },
        url: `http://127.0.0.1:${receiver.port}/hooks`,
        events: ['push.finished'],
        disabledAt: null,
        waiting: 1,
        next: [
          {
            id: expect.stringMatching(/^evt_/),
            type: 'push.finished',
            attempts: 1,
            createdAt: expect.any(String),
            dueAt: expect.any(String),
          },
        ],
      },
    ])
    receiver.answer = (response) => response.writeHead(204).end()
    expect((await call('POST', `${path}/webhook/retry`)).body).toEqual({ waiting: 1 })
    await receiver.arrived(2)
    expect(await actions()).toContain('retry webhook')
  })

  test('are tried again where there is one', async () => {
    const { id } = service.addApplication('Unhooked')
    expect(await call('POST', `/api/applications/${id}/webhook/retry`)).toMatchObject({
      status: 404,
      body: { code: 'ResourceNotFound', message: 'No webhook found' },
    })
  })
})

describe('the log of the service', () => {
  test('is shown from its last lines on, and goes on', async () => {
    const events = eventsOf(await call.open('/api/service-log'))
    const first = (await events.next()).value
    expect(first).toMatchObject({ event: 'line', data: { number: 1, level: 'info', at: expect.any(String) } })
    // A call without the secret that it needs is a line.
    await service.get('/pushes', { as: 'device' })
    for await (const { data } of events) {
      if (data.event !== 'call refused') continue
      expect(data.fields['application']).toBe(service.application.id)
      return
    }
    throw new Error('the log has ended')
  })

  test('is of one application, or one level, where that is asked for', async () => {
    const other = service.addApplication('Quiet')
    // Looks for what commands have made.
    await call('GET', `/api/applications/${other.id}`)
    await service.get('/pushes', { as: 'device' })
    await service.get('/pushes', { as: 'device', application: other })
    const events = eventsOf(await call.open(`/api/service-log?level=info&application=${other.id}`))
    expect((await events.next()).value?.data.fields['name']).toBe('Quiet')
    expect(await call('GET', '/api/service-log?level=loud')).toMatchObject({
      status: 400,
      body: { code: 'InvalidArgument', message: 'level must be one of debug, info, warn, error, not "loud".' },
    })
  })

  test('keeps its last 500 lines, by number', () => {
    const written: string[] = []
    const ring = createLogRing(
      createLog(
        'info',
        () => 0,
        (line) => written.push(line),
      ),
      () => 7,
    )
    for (let line = 1; line <= 510; line++) ring.log.info('said', { line })
    ring.log.debug('not written')
    expect(written).toHaveLength(510)
    const kept = ring.recentLines(0)
    expect(kept).toHaveLength(500)
    expect(kept[0]).toEqual({ number: 11, at: 7, level: 'info', event: 'said', fields: { line: 11 } })
    expect(ring.recentLines(508).map(({ number }) => number)).toEqual([509, 510])
    // Of a page that was open before the service was started again.
    expect(ring.recentLines(9000)).toHaveLength(500)
  })
})
