import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { APNS_MAGIC_TOKENS } from '../src/gateway/simulator/apns/apns-magic-tokens.ts'
import { FCM_MAGIC_TOKENS } from '../src/gateway/simulator/fcm/fcm-magic-tokens.ts'
import { settingsTable } from '../src/settings/settings-text.ts'
import { startService } from './support/service.ts'

const readme = await Bun.file(join(import.meta.dir, '../README.md')).text()

/** A Markdown table without the padding that the formatter adds. */
function bare(table: string): string {
  return table.trim().replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
}

describe('the README says what is so', () => {
  test('its settings are those of config.ts', () => {
    const [, table] = /<!-- settings:.*?-->\n(.*?)<!-- \/settings -->/s.exec(readme) ?? []
    expect(bare(table ?? '')).toBe(bare(settingsTable()))
  })

  test('its table of what a token orders of the simulator has all of it, once', () => {
    const cells = readme
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .flatMap((line) => line.match(/`(?:bad\d{4}|[a-z]+:)`/g) ?? [])
    const known = [
      ...APNS_MAGIC_TOKENS.map((code) => `\`bad${code}\``),
      ...FCM_MAGIC_TOKENS.map((word) => `\`${word}:\``),
    ]
    expect(cells.toSorted()).toEqual(known.toSorted())
  })

  test('its preview is what a service answers', async () => {
    await using service = await startService()
    await service.put('/deviceToken', { token: '3f'.repeat(32), platform: '0' })
    await service.put('/deviceToken', { token: 'registration-id', platform: '1' })
    const [, section = ''] = readme.split('\n### Preview\n')
    const [, printed = ''] = /```json\n(.*?)```/s.exec(section) ?? []
    const { apns, fcm } = JSON.parse(printed)
    const asked = { platform: ['0', '1'], msg: 'Hello', sound: 'default', badge: '+1' }
    const { body } = await service.post('/push/preview', asked)
    expect({ apns: [body.apns.body, body.apns.bytes], fcm: body.fcm }).toEqual({ apns: [apns.body, apns.bytes], fcm })
  })

  test('its API table is that of the running service', async () => {
    await using service = await startService()
    const { paths } = (await service.get('/openapi.json')).body
    const described = Object.entries<Record<string, any>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary, security }]) => {
        const secret = 'secret' in security[0] ? 'yes' : ''
        return bare(`| ${method.toUpperCase()} | \`${path}\` | ${secret} | ${summary} |`)
      }),
    )
    const listed = readme
      .split('\n')
      .filter((line) => /^\| (GET|PUT|POST) +\|/.test(line))
      .map(bare)
    expect(listed.toSorted()).toEqual(described.toSorted())
  })
})
