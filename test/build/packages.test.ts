import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { bundledFiles } from '../../scripts/build/bundle.ts'
import { BUN_LICENSE, licensesText } from '../../scripts/build/licenses.ts'
import { bundledPackages, packageId } from '../../scripts/build/packages.ts'
import type { BundledPackage } from '../../scripts/build/packages.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** Their only demand is that `bellhop licenses` prints them. */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT-0'])

let packages: readonly BundledPackage[]
beforeAll(async () => {
  packages = bundledPackages(await bundledFiles())
})

const find = (name: string): BundledPackage | undefined => packages.find((each) => each.name === name)

describe('the packages inside the executable', () => {
  test('are the dependencies, each of which the program imports, and what those import', () => {
    const direct = packages.filter((each) => each.direct).map(({ name }) => name)
    expect(direct).toEqual(Object.keys(manifest.dependencies).toSorted())
    const known = new Set(packages.map(packageId))
    const imported = new Set(packages.flatMap(({ imports }) => imports))
    expect([...imported].filter((id) => !known.has(id))).toEqual([])
    expect(packages.filter((each) => !each.direct && !imported.has(packageId(each))).map(packageId)).toEqual([])
    expect(find('debug')).toMatchObject({ direct: false, imports: [expect.stringMatching(/^ms@/), expect.anything()] })
  })

  test('are of the development in no case', () => {
    const development = new Set(Object.keys(manifest.devDependencies))
    expect(packages.filter(({ name }) => development.has(name))).toEqual([])
  })

  test('are those of bun.lock, with the hash of their archives', () => {
    for (const { integrity } of packages) expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/)
  })

  test('are each under a licence that may be handed on with it', () => {
    const choices = (license: string): string[] => license.replaceAll(/[()]/g, '').split(' OR ')
    const strange = packages.filter(({ license }) => !choices(license).some((id) => ALLOWED.has(id)))
    expect(strange.map((each) => `${packageId(each)}: ${each.license}`)).toEqual([])
  })

  test('have each the text of its licence, with what it says of others', () => {
    const wordless = packages.filter(({ licenseText }) => !/permission|license/i.test(licenseText))
    expect(wordless.map(packageId)).toEqual([])
    // It has no licence file, only the name.
    expect(find('drizzle-orm')?.licenseText).toContain('Apache License\n')
    expect(find('swagger-ui-dist')?.licenseText).toContain('Copyright 2020-2021 SmartBear Software Inc.')
    expect(find('swagger-ui-dist')?.licenseText).toContain('DOMPurify')
  })

  test('are refused where one brings no licence, or is not in bun.lock', () => {
    using folder = temporaryDirectory('bellhop-packages')
    const file = join(folder.path, 'node_modules/ms/index.js')
    const metafile = { inputs: {}, outputs: { main: { inputs: { [file]: { bytesInOutput: 1 } } } } }
    const bundledAs = (version: string, license?: string) => () => {
      writeFileSync(join(file, '../package.json'), JSON.stringify({ name: 'ms', version, license }))
      return bundledPackages(metafile as unknown as Bun.BuildMetafile)
    }
    mkdirSync(join(file, '..'), { recursive: true })
    const { version = '' } = find('ms') ?? {}
    expect(bundledAs('0.0.1', 'MIT')).toThrow('ms@0.0.1 is in the bundle, and not in bun.lock')
    expect(bundledAs(version)).toThrow(`ms@${version} is in the bundle, and names no licence`)
    expect(bundledAs(version, 'MIT')).toThrow('ms is in the bundle, and brings no text of its licence, MIT')
  })
})

describe('bellhop licenses', () => {
  test('has the text of each package, of Bellhop, and of Bun', async () => {
    const text = licensesText('1.2.3', packages)
    expect(text).toStartWith(`Bellhop 1.2.3, the ${packages.length} packages inside its executable, and Bun `)
    for (const each of packages) {
      expect(text).toContain(`\n${packageId(each)}: ${each.license}\n`)
      expect(text).toContain(each.licenseText)
    }
    expect(text).toContain((await Bun.file('LICENSE').text()).trim())
    expect(text).toContain(BUN_LICENSE)
  })

  test('has the words of this version of Bun', async () => {
    const page = await Bun.file('node_modules/bun-types/docs/project/license.mdx').text()
    expect(BUN_LICENSE).toBe(page.replace(/^---\n[\s\S]*?\n---\n/, '').trim())
    expect(BUN_LICENSE).toContain('statically links JavaScriptCore (and WebKit), which is LGPL-2 licensed')
  })
})
