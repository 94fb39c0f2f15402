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
  /** `bun-linux-arm64`; `null`: this machine. */
  readonly target: string | null
  /** Path of the Bun to embed; `null`: this one, or one that Bun fetches for the target. */
  readonly runtime: string | null
  readonly outfile: string
  /** Minisign public key of releases, in base64; `''`: `upgrade` needs `--key`. */
  readonly releaseKey: string
}

/**
 * Code stays in the interpreter this much longer (bun.com/docs/bundler/executables, "JIT policy"), since start-up code
 * runs once. Measured with 1,000,000 devices on 2 busy cores: 78 ms instead of 96 until ready.
 */
const START_JIT_POLICY = 8

/** Compresses the files of the documentation page: saves 1.4 MB, and work at the first request. */
const PACKED: Bun.BunPlugin = {
  name: 'packed',
  setup(build) {
    build.onLoad({ filter: /\/swagger-ui-dist\/[^/]+\.(?:js|css)$/ }, async ({ path }) => ({
      contents: gzipSync(await Bun.file(path).bytes(), { level: 9 }),
      loader: 'file',
    }))
  },
}

/** Compiles the checkout in the working directory; returns the bundled packages. Throws with Bun's reason. */
export async function compileExecutable(wanted: Wanted): Promise<readonly BundledPackage[]> {
  const { version, commit, target, runtime, outfile, releaseKey } = wanted
  const packages = bundledPackages(await bundledFiles())
  const dashboard = await bundleDashboard('release')
  mkdirSync(dirname(outfile), { recursive: true })
  // The file's name ends up in the executable, so it is always the same.
  const folder = mkdtempSync(join(dirname(outfile), '.build-'))
  try {
    const result = await Bun.build({
      ...BUNDLE,
      // Bytecode: `--version` takes 35 ms instead of 120, and ready 150 instead of 270 (2 busy cores). Costs 10 MB.
      // Without `format` it would be CommonJS, without top-level await.
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
        // Files in the working directory must not change its behaviour.
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

/** Name in releases; `''`: this target is not released. */
async function targetName(target: string | null, runtime: string | null): Promise<string> {
  if (target !== null) return target.replace(/^bun-/, '')
  const header = await headerOfFile(runtime ?? process.execPath)
  return RELEASE_TARGETS.find((release) => release.header === header)?.name ?? ''
}
