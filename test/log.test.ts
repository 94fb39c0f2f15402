import { describe, expect, test } from 'bun:test'
import { createLog } from '../src/log.ts'
import { startService } from './support/service.ts'

const NOW = Date.UTC(2026, 10, 20, 12)

describe('the log', () => {
  test('is one JSON object a line', () => {
    const lines: string[] = []
    const log = createLog(
      'info',
      () => NOW,
      (line) => lines.push(line),
    )
    log.info('serving', { url: 'http://127.0.0.1:8790', more: undefined })
    expect(lines).toEqual([
      '{"time":"2026-11-20T12:00:00.000Z","level":"info","event":"serving","url":"http://127.0.0.1:8790"}\n',
    ])
  })

  test('has nothing below its level', () => {
    const lines: string[] = []
    const log = createLog(
      'warn',
      () => NOW,
      (line) => lines.push(line),
    )
    log.debug('a')
    log.info('b')
    log.warn('c')
    log.error('d')
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(['c', 'd'])
    expect(log.writes('info')).toBe(false)
    expect(log.writes('error')).toBe(true)
  })

  test('names each call with the request id that its answer carries', async () => {
    await using service = await startService()
    const { headers } = await service.get('/analytics?x=1')
    const line = await service.logged(({ event, route }) => event === 'call' && route === '/analytics')
    expect(line).toMatchObject({ requestId: headers.get('x-request-id') ?? '', method: 'GET', status: 200 })
  })

  test('never holds a device token, a secret, an alias or the text of a message', async () => {
    await using service = await startService()
    const { secret } = service.application
    const token = 'bad4290'.padEnd(64, '7')
    await service.put('/deviceToken', { token, platform: 0, alias: 'the-alias', tag: ['the-tag'] })
    await service.get('/deviceToken/one?secret=the-query', { headers: { token } })
    await service.post('/push/all', { platform: 0, msg: 'the-message', sound: '', badge: '' })
    await service.put('/deviceToken', { token, platform: 9 })
    await service.put('/deviceToken', '{"token": the-garbage')
    await service.get('/analytics', { headers: { 'x-service-secret': 'the-wrong-secret' } })
    for (const path of [`/deviceToken/${token}`, `/push/the-id`, `/the-path`]) await service.get(path)
    await service.logged(({ event }) => event === 'to be sent again')
    const all = JSON.stringify(service.log)
    for (const kept of [token, secret, 'the-']) expect(all).not.toContain(kept)
  })
})
