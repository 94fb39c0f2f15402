import { describe, expect, test } from 'bun:test'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { plugin } from 'bun'
import classic from 'typescript-classic'
import { directoryOfTests } from '../../support/directory-of-tests.ts'
import { fileService } from '../../support/file-service.ts'
import { redoclyProblems } from '../../support/redocly.ts'
import { startService } from '../../support/service.ts'

// openapi-typescript prints by the compiler's JavaScript API, which TypeScript 7 does not have.
plugin({
  name: 'classic TypeScript',
  setup: (build) =>
    void build.module('typescript', () => ({ exports: { default: classic, ...classic }, loader: 'object' })),
})

const MODULES = join(import.meta.dir, '..', '..', '..', 'node_modules')

const service = await fileService()
const document = await (await fetch(`${service.url}/openapi.json`)).text()
const folder = directoryOfTests('bellhop-client')

describe("redocly's recommended rules", () => {
  test('find nothing in the document', async () => {
    expect(await redoclyProblems(document)).toEqual([])
  })

  test('find nothing in the one of --compat', async () => {
    await using compatible = await startService({ config: { compat: true } })
    expect(await redoclyProblems(await (await fetch(`${compatible.url}/openapi.json`)).text())).toEqual([])
  })
})

/** What a stranger writes; each line below `@ts-expect-error` is one that must not compile. */
const CLIENT = `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'

type Device = components['schemas']['Device']

export async function calls(baseUrl: string, id: string, secret: string) {
  const header = { 'Accept-Version': '1' }
  const headers = { 'X-SERVICE-APPID': id, 'X-SERVICE-SECRET': secret }
  const { GET, PUT, POST } = createClient<paths>({ baseUrl, headers })

  const registered = await PUT('/deviceToken', {
    params: { header },
    body: { token: 'a1'.repeat(32), platform: '0', tag: ['beta'], lat: 52.52, lng: '13.405' },
  })
  const device: Device | undefined = registered.data
  const tags: string[] = device?.tag ?? []
  const alias: string | null | undefined = device?.alias

  const pushed = await POST('/push/all', {
    params: { header },
    body: {
      msg: 'Hello',
      where: { any: [{ near: { lat: 52.52, lng: 13.405, radius_km: 25 } }, { not: { tag: 'beta' } }] },
    },
  })
  const push: string = pushed.data?.id ?? ''

  const statusNow = () => GET('/push/{id}', { params: { header, path: { id: push } } })
  let status = await statusNow()
  // The audience is counted beside the sending.
  while (status.data?.t === 0) status = await statusNow()
  const state: 'scheduled' | 'sending' | 'paused' | 'finished' | 'cancelled' | undefined = status.data?.state
  const onIos: number | undefined = status.data?.platforms['0']?.t

  const listed = await GET('/deviceToken/all', { params: { header, query: { limit: 10 } } })
  const devices: number | undefined = listed.data?.length

  const refused = await PUT('/alias', { params: { header }, body: { platform: '0', alias: 'front-desk' } })
  const code: string | undefined = refused.error?.code

  // @ts-expect-error no such field
  void status.data?.stat
  // @ts-expect-error no such path
  void (await GET('/push/nothing/at/all', {}).catch(() => {}))
  // @ts-expect-error platform is no number
  const wrong: Device['platform'] = 0

  return {
    statuses: [registered, pushed, status, listed, refused].map(({ response }) => response.status),
    tags, alias, state, onIos, devices, code, wrong,
  }
}
`

describe('a client that openapi-typescript makes', () => {
  test('compiles under strict, and its calls pass', async () => {
    const { default: generate, astToString } = await import('openapi-typescript')
    await Promise.all([
      Bun.write(join(folder, 'schema.ts'), astToString(await generate(document))),
      Bun.write(join(folder, 'client.ts'), CLIENT),
      Bun.write(join(folder, 'package.json'), JSON.stringify({ type: 'module' })),
      symlink(MODULES, join(folder, 'node_modules')),
    ])
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--noImplicitReturns']
    const modern = ['--target', 'esnext', '--module', 'preserve', '--lib', 'esnext,dom', '--types', '']
    const tsc = Bun.spawn(
      [join(MODULES, '.bin', 'tsc'), ...strict, ...modern, '--noEmit', '--allowImportingTsExtensions', 'client.ts'],
      { cwd: folder, stdout: 'pipe', stderr: 'pipe' },
    )
    expect([await tsc.stdout.text(), await tsc.exited]).toEqual(['', 0])

    const { calls } = (await import(join(folder, 'client.ts'))) as {
      calls: (baseUrl: string, id: string, secret: string) => Promise<object>
    }
    const { id, secret } = service.application
    expect(await calls(service.url, id, secret)).toMatchObject({
      statuses: [201, 200, 200, 200, 409],
      tags: ['beta'],
      alias: null,
      onIos: 1,
      devices: 1,
      code: 'MissingParameter',
    })
  })
})
