// The contents of an executable as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/). Reproducible: no serial
// number, and the commit's time.
import { packageId } from './packages.ts'
import type { BundledPackage } from './packages.ts'
import type { RuntimePart } from './runtime-parts.ts'

export interface Contents {
  readonly version: string
  /** In ms. */
  readonly committedAtMs: number
  /** SHA-256 of the executable, in hex. */
  readonly sha256: string
  readonly packages: readonly BundledPackage[]
  readonly runtime: {
    readonly version: string
    /** SHA-256 of Bun's executable, in hex; `null`: Bun fetched it itself. */
    readonly sha256: string | null
    readonly parts: readonly RuntimePart[]
  }
}

/** Indented by two. */
export function sbomText(contents: Contents): string {
  const { version, committedAtMs, sha256, packages, runtime } = contents
  const self = `pkg:generic/bellhop@${version}`
  const bun = `pkg:npm/bun@${runtime.version}`
  const purls = new Map(packages.map((each) => [packageId(each), purlOf(each)]))
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(committedAtMs).toISOString(),
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'bellhop',
        version,
        purl: self,
        licenses: [{ license: { id: 'MIT' } }],
        hashes: [{ alg: 'SHA-256', content: sha256 }],
      },
    },
    components: [...packages.map(packageComponent), runtimeComponent(bun, runtime)],
    dependencies: [
      { ref: self, dependsOn: [...packages.filter(({ direct }) => direct).map(purlOf), bun] },
      ...packages.map((each) => ({ ref: purlOf(each), dependsOn: each.imports.flatMap((id) => purls.get(id) ?? []) })),
      { ref: bun },
    ],
  }
  return `${JSON.stringify(sbom, null, 2)}\n`
}

/** `pkg:npm/%40scalar/themes@0.9.86` (https://github.com/package-url/purl-spec) */
function purlOf({ name, version }: BundledPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function packageComponent(each: BundledPackage) {
  const { name, version, license, integrity } = each
  const [scope, bare] = name.startsWith('@') ? name.split('/') : [undefined, name]
  return {
    type: 'library',
    'bom-ref': purlOf(each),
    ...(scope !== undefined && { group: scope }),
    name: bare,
    version,
    purl: purlOf(each),
    licenses: license.includes(' ') ? [{ expression: license }] : [{ license: { id: license } }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
  }
}

function runtimeComponent(purl: string, { version, sha256, parts }: Contents['runtime']) {
  return {
    type: 'platform',
    'bom-ref': purl,
    name: 'bun',
    version,
    purl,
    licenses: [{ license: { id: 'MIT' } }],
    ...(sha256 !== null && { hashes: [{ alg: 'SHA-256', content: sha256 }] }),
    externalReferences: [{ type: 'license', url: `https://github.com/oven-sh/bun/blob/bun-v${version}/LICENSE.md` }],
    components: parts.map((part) => ({
      type: 'library',
      name: part.name,
      ...(part.version !== null && { version: part.version }),
      licenses: [{ license: { name: part.license } }],
      externalReferences: [{ type: 'website', url: part.url }],
    })),
  }
}
