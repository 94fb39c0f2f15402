// The packages inside the executable: only those with bundled files, whatever package.json lists.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface BundledPackage {
  /** `elysia`, `@scalar/themes` */
  readonly name: string
  readonly version: string
  /** SPDX from its package.json: `MIT`, `(BSD-3-Clause OR GPL-2.0)`. */
  readonly license: string
  /** Of its archive, from bun.lock: `sha512-` and Base64. */
  readonly integrity: string
  /** Licence and notices in full, including those beside its bundled files. */
  readonly licenseText: string
  /** Whether the program itself imports it. */
  readonly direct: boolean
  /** `name@version` of the bundled packages it imports, sorted. */
  readonly imports: readonly string[]
}

/** `elysia@1.4.30` */
export function packageId({ name, version }: Pick<BundledPackage, 'name' | 'version'>): string {
  return `${name}@${version}`
}

/**
 * Sorted by name. Paths are relative to the checkout's root, the working directory. Throws for a package without a
 * licence or a bun.lock entry: such an executable must not be distributed.
 */
export function bundledPackages(metafile: Bun.BuildMetafile): readonly BundledPackage[] {
  const filesOf = bundledDirectories(metafile)
  const ids = new Map([...filesOf.keys()].map((directory) => [directory, packageId(manifestOf(directory))]))
  const direct = new Set(importsOf(metafile, null, ids))
  const integrities = lockedIntegrities()
  const packages = new Map<string, BundledPackage>()
  for (const [directory, files] of filesOf) {
    const { name, version, license } = manifestOf(directory)
    const id = packageId({ name, version })
    const integrity = integrities.get(id)
    if (integrity === undefined) throw new Error(`${id} is in the bundle, and not in bun.lock`)
    packages.set(id, {
      name,
      version,
      license,
      integrity,
      licenseText: licenseTextOf(directory, files, license),
      direct: direct.has(id),
      imports: importsOf(metafile, directory, ids),
    })
  }
  // By version first: the stable sort by name keeps that order among equals.
  const byVersion = [...packages.values()].toSorted((one, other) => (one.version < other.version ? -1 : 1))
  return byVersion.toSorted((one, other) => (one.name === other.name ? 0 : one.name < other.name ? -1 : 1))
}

/** Directories of all packages needed to compile, including those with no bundled file. */
export function packageDirectories({ inputs }: Bun.BuildMetafile): readonly string[] {
  return [...new Set(Object.keys(inputs).flatMap((file) => directoryOf(file) ?? []))].toSorted()
}

/** Each package's directory, with its bundled files. */
function bundledDirectories({ outputs }: Bun.BuildMetafile): ReadonlyMap<string, readonly string[]> {
  const files = [...new Set(Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)))]
  const packaged = files.filter((file) => directoryOf(file) !== null)
  return Map.groupBy(packaged, (file) => directoryOf(file) ?? '')
}

/** The innermost package of a file; `null`: the program's own file. */
function directoryOf(file: string): string | null {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? null
}

/** Packages imported by the files of `directory`; `null`: by the program. */
function importsOf(
  { inputs, outputs }: Bun.BuildMetafile,
  directory: string | null,
  ids: ReadonlyMap<string, string>,
): string[] {
  const imported = Object.entries(inputs)
    .filter(([file]) => directoryOf(file) === directory)
    // A lazily imported module is a separate output, which replaces the source path.
    .flatMap(([, { imports }]) => imports.map(({ path }) => directoryOf(outputs[path]?.entryPoint ?? path)))
    .filter((other) => other !== null && other !== directory)
  return [...new Set(imported.flatMap((other) => ids.get(other ?? '') ?? []))].toSorted()
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
}

function manifestOf(directory: string): Manifest {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  if (typeof license !== 'string') throw new Error(`${name}@${version} is in the bundle, and names no licence`)
  return { name, version, license }
}

function lockedIntegrities(): ReadonlyMap<string, string> {
  const lock = Bun.JSONC.parse(readFileSync('bun.lock', 'utf8')) as { packages: Record<string, readonly unknown[]> }
  return new Map(Object.values(lock.packages).map((entry) => [String(entry[0]), String(entry.at(-1))]))
}

const LICENSE_FILE = /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i

function licenseTextOf(directory: string, files: readonly string[], license: string): string {
  const own = readdirSync(directory).filter((name) => LICENSE_FILE.test(name))
  // A file bundled from other packages has their licences in a file of this name.
  const beside = files.map((file) => `${file}.LICENSE.txt`).filter((path) => existsSync(path))
  // Some packages only name their licence.
  const known = join(import.meta.dir, 'licenses', `${license}.txt`)
  const owned = own.toSorted().map((name) => join(directory, name))
  const paths = owned.length === 0 && existsSync(known) ? [known, ...beside] : [...owned, ...beside]
  if (paths.length === 0)
    throw new Error(`${directory} is in the bundle, and brings no text of its licence, ${license}`)
  return paths.map((path) => readFileSync(path, 'utf8').replaceAll('\r\n', '\n').trim()).join('\n\n')
}
