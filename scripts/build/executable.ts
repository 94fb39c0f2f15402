import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bundleDashboard } from '../../src/admin/page/dashboard-bundle.ts'
import { BUNDLE, bundledFiles, metafileOf, together } from './bundle.ts'
import type { Commit } from './commit.ts'
import { headerOfFile } from './executable-header.ts'
import { licensesText } from './licenses.ts'
import { bundledPackages, packageId } from './packages.ts'
import type { BundledPackage } from './packages.ts'
import { RELEASE_TARGETS } from './targets.ts'

interface Wanted {
  readonly version: string
  readonly commit: Commit
  /** `bun-linux-arm64`; `null`: as this machine. */
  readonly target: string | null
  /** Path of the Bun that goes into it; `null`: this one, or one that Bun fetches for another target. */
  readonly runtime: string | null
  readonly outfile: string
  /** The minisign public key of releases, in base64; `''`: `upgrade` needs `--key`. */
  readonly releaseKey: string
}

/**
 * How much longer code stays in the interpreter before it is compiled, until the program ends that
 * (bun.com/docs/bundler/executables, "JIT policy"): what runs once, at a start, is not worth it. Measured with 1,000,000
 * devices on 2 busy cores, in turns: from the start to ready 78 ms in place of 96.
 */
const START_JIT_POLICY = 8

/** The files of the documentation's page, compressed: 1.4 MB less, and no work when somebody first asks for them. */
const PACKED: Bun.BunPlugin = {
  name: 'packed',
  setup(build) {
    build.onLoad({ filter: /\/swagger-ui-dist\/[^/]+\.(?:js|css)$/ }, async ({ path }) => ({
      contents: gzipSync(await Bun.file(path).bytes(), { level: 9 }),
      loader: 'file',
    }))
  },
}

/** Compiles the checkout that is the working directory; what is inside. Throws where Bun does, with its reason. */
export async function compileExecutable(wanted: Wanted): Promise<readonly BundledPackage[]> {
  const { version, commit, target, runtime, outfile, releaseKey } = wanted
  const packages = bundledPackages(await bundledFiles())
  const dashboard = await bundleDashboard('release')
  mkdirSync(dirname(outfile), { recursive: true })
  // The name of the file gets into the executable: each is compiled by the same one.
  const folder = mkdtempSync(join(dirname(outfile), '.build-'))
  try {
    const result = await Bun.build({
      ...BUNDLE,
      // Compiled ahead: `--version` takes 35 ms in place of 120, and from the start to ready 150 in place of 270 (measured
      // on 2 busy cores, in turns). 10 MB more. Bytecode without `format` is CommonJS, without top-level await.
      bytecode: true,
      plugins: [PACKED],
      define: {
        ...BUNDLE.define,
        BELLHOP_DASHBOARD: JSON.stringify(JSON.stringify(dashboard.files)),
        BELLHOP_TARGET: JSON.stringify(await targetName(target, runtime)),
        BELLHOP_RELEASE_KEY: JSON.stringify(releaseKey),
        BELLHOP_LICENSES: JSON.stringify(licensesText(version, packages)),
        ...(commit.hash !== '' && {
          BELLHOP_COMMIT: JSON.stringify(commit.hash),
          BELLHOP_COMMIT_DATE: JSON.stringify(commit.date),
        }),
      },
      compile: {
        outfile: join(folder, 'bellhop'),
        jitPolicy: START_JIT_POLICY,
        ...(target !== null && { target: target as Bun.Build.CompileTarget }),
        ...(runtime !== null && { executablePath: runtime }),
        // Nothing in the directory it happens to run in may change what it does.
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
    })
    const inside = bundledPackages(together(metafileOf(result), dashboard.metafile)).map(packageId)
    if (inside.join() !== packages.map(packageId).join()) throw new Error(`other packages got in: ${inside.join()}`)
    renameSync(join(folder, 'bellhop'), outfile)
    return packages
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** As releases are named; `''` where there is no release for it. */
async function targetName(target: string | null, runtime: string | null): Promise<string> {
  if (target !== null) return target.replace(/^bun-/, '')
  const header = await headerOfFile(runtime ?? process.execPath)
  return RELEASE_TARGETS.find((release) => release.header === header)?.name ?? ''
}
