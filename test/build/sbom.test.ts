import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledFiles } from '../../scripts/build/bundle.ts'
import { BUN_LICENSE } from '../../scripts/build/licenses.ts'
import { bundledPackages } from '../../scripts/build/packages.ts'
import type { BundledPackage } from '../../scripts/build/packages.ts'
import { runtimeParts } from '../../scripts/build/runtime-parts.ts'
import { sbomText } from '../../scripts/build/sbom.ts'
import type { Contents } from '../../scripts/build/sbom.ts'

let packages: readonly BundledPackage[]
beforeAll(async () => {
  packages = bundledPackages(await bundledFiles())
})

const VERSIONS = { sqlite: '3.54.1', webkit: 'd6375c7', ares: '0b88066' }

function contents(): Contents {
  return {
    version: '1.2.3',
    committedAtMs: Date.UTC(2026, 10, 22, 10, 13, 21),
    sha256: 'a'.repeat(64),
    packages,
    runtime: { version: '1.4.5', sha256: 'b'.repeat(64), parts: runtimeParts(BUN_LICENSE, 'linux', VERSIONS) },
  }
}

interface Component {
  readonly type: string
  readonly 'bom-ref': string
  readonly group?: string
  readonly name: string
  readonly version: string | undefined
  readonly purl: string
  readonly licenses: readonly object[]
  readonly hashes: readonly object[]
}

interface Sbom {
  readonly metadata: { readonly timestamp: string; readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

const sbomOf = (told: Contents): Sbom => JSON.parse(sbomText(told))

function officialSchema() {
  const schemas = join(fileURLToPath(import.meta.resolve('@cyclonedx/cyclonedx-library/package.json')), '../res/schema')
  const read = (name: string) => JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), 'utf8'))
  // Formats that ajv does not know, of unused fields.
  const ajv = new Ajv({ strict: false, formats: { 'iri-reference': true, 'idn-email': true } })
  addFormats(ajv)
  for (const name of ['spdx', 'jsf-0.82']) {
    ajv.addSchema(read(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  }
  return ajv.compile(read('bom-1.6'))
}

describe('the list of what is inside', () => {
  test('is CycloneDX 1.6, by its own schema', () => {
    const fits = officialSchema()
    const sbom = sbomOf(contents())
    expect([fits(sbom), fits.errors]).toEqual([true, null])
    expect(fits({ ...sbom, components: [{ type: 'library' }] })).toBe(false)
    expect(
      fits({ ...sbom, components: [{ type: 'library', name: 'x', licenses: [{ license: { id: 'M.I.T.' } }] }] }),
    ).toBe(false)
  })

  test('names each package of the bundle and the runtime, and nothing else', () => {
    const { components } = sbomOf(contents())
    expect(components.map(({ purl }) => purl)).toEqual([
      ...packages.map(({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`),
      'pkg:npm/bun@1.4.5',
    ])
  })

  test('has of a package its version, its licence, and the hash of its archive', () => {
    const { components } = sbomOf(contents())
    const themes = packages.find(({ name }) => name === '@scalar/themes')
    const content = Buffer.from(themes?.integrity.slice(7) ?? '', 'base64').toString('hex')
    expect(content).toHaveLength(128)
    expect(components).toContainEqual({
      type: 'library',
      'bom-ref': `pkg:npm/%40scalar/themes@${themes?.version}`,
      group: '@scalar',
      name: 'themes',
      version: themes?.version,
      purl: `pkg:npm/%40scalar/themes@${themes?.version}`,
      licenses: [{ license: { id: 'MIT' } }],
      hashes: [{ alg: 'SHA-512', content }],
    })
    const forge = components.find(({ name }) => name === 'node-forge')
    expect(forge?.licenses).toEqual([{ expression: '(BSD-3-Clause OR GPL-2.0)' }])
  })

  test('says who imports whom, by references that lead somewhere', () => {
    const { metadata, components, dependencies } = sbomOf(contents())
    const refs = [metadata.component, ...components].map((each) => each['bom-ref'])
    expect(dependencies.map(({ ref }) => ref)).toEqual(refs)
    const named = dependencies.flatMap(({ dependsOn = [] }) => dependsOn)
    expect([...new Set(named)].toSorted()).toEqual(refs.slice(1).toSorted())
  })

  test('is of one executable, and has the time of its commit', () => {
    const { metadata } = sbomOf(contents())
    expect(metadata.timestamp).toBe('2026-11-22T10:13:21.000Z')
    expect(metadata.component.hashes).toEqual([{ alg: 'SHA-256', content: 'a'.repeat(64) }])
  })
})

describe('the parts of the runtime', () => {
  test('are those that Bun names, with their versions where the runtime tells them', () => {
    const parts = runtimeParts(BUN_LICENSE, 'linux', VERSIONS)
    const find = (wanted: string) => parts.find(({ name }) => name === wanted)
    expect(find('JavaScriptCore')).toMatchObject({ version: 'd6375c7', license: 'LGPL-2' })
    expect(find('sqlite')).toEqual({
      name: 'sqlite',
      version: '3.54.1',
      license: 'public domain',
      url: 'https://sqlite.org',
    })
    expect(find('c-ares')).toMatchObject({ version: '0b88066', license: 'MIT licensed' })
    expect(find('brotli')).toMatchObject({ version: null, license: 'MIT' })
    expect(parts.length).toBeGreaterThan(20)
  })

  test('are on macOS without SQLite, which it has itself, and without what only Windows needs', () => {
    const names = (platform: string) => runtimeParts(BUN_LICENSE, platform, VERSIONS).map(({ name }) => name)
    expect(names('linux')).not.toContain('libuv')
    expect(names('darwin')).not.toContain('sqlite')
    expect(names('darwin')).not.toContain('libuv')
  })
})
