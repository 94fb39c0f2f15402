// Compiles dist/bellhop for this platform, and lists its contents as CycloneDX on request.
import { parseArgs } from 'node:util'
import manifest from '../package.json' with { type: 'json' }
import { commitOfBuild } from './build/commit.ts'
import { compileExecutable } from './build/executable.ts'
import { fileSha256 } from './build/file-sha256.ts'
import { BUN_LICENSE } from './build/licenses.ts'
import { runtimeParts } from './build/runtime-parts.ts'
import { minisignKeyIn } from '../src/cli/upgrade/minisign.ts'
import { sbomText } from './build/sbom.ts'

const HELP = `Usage: bun run build [--target NAME] [--runtime PATH] [--outfile PATH] [--sbom PATH] [--release-key BASE64]

  --target NAME   for another platform, bun-linux-arm64 and the like (Bun's documentation, "Single-file executable"), into
                  dist/bellhop-linux-arm64
  --runtime PATH  with this Bun inside; else with the one that runs this, or with the one that Bun fetches for NAME
  --outfile PATH  where to
  --sbom PATH     what is inside, as CycloneDX 1.6
  --release-key BASE64
                  the minisign public key of the releases that it upgrades to; without it, bellhop upgrade needs --key`

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    runtime: { type: 'string' },
    outfile: { type: 'string' },
    sbom: { type: 'string' },
    'release-key': { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const { target = null, sbom } = values
const outfile = values.outfile ?? (target === null ? 'dist/bellhop' : `dist/bellhop-${target.replace(/^bun-/, '')}`)
const commit = await commitOfBuild(process.env)
const runtime = values.runtime ?? null
const releaseKey = values['release-key']
if (releaseKey !== '' && minisignKeyIn(releaseKey) === null)
  throw new Error('--release-key is not a minisign public key')
const packages = await compileExecutable({ version: manifest.version, commit, target, runtime, outfile, releaseKey })
console.log(`${outfile}: ${Math.round(Bun.file(outfile).size / 1_000_000)} MB`)

if (sbom !== undefined) {
  const known = runtime ?? (target === null ? process.execPath : null)
  const platform = target?.split('-')[1] ?? process.platform
  const contents = {
    version: manifest.version,
    committedAtMs: commit.atMs,
    sha256: await fileSha256(outfile),
    packages,
    runtime: {
      version: Bun.version,
      sha256: known === null ? null : await fileSha256(known),
      parts: runtimeParts(BUN_LICENSE, platform, process.versions),
    },
  }
  await Bun.write(sbom, sbomText(contents))
}
