import { dirname, join } from 'node:path'
import { BUNDLE } from '../../../../scripts/build/bundle.ts'
import { headerOfFile } from '../../../../scripts/build/executable-header.ts'
import { RELEASE_TARGETS } from '../../../../scripts/build/targets.ts'

const root = join(import.meta.dir, '../../../..')

/** This machine's name in releases. */
export const TARGET = await (async () => {
  const header = await headerOfFile(process.execPath)
  return RELEASE_TARGETS.find((target) => target.header === header)?.name ?? 'unknown'
})()

interface Program {
  readonly version: string
  /** Trusted minisign public key; `''`: none. */
  readonly releaseKey: string
  /** Default: Bellhop itself. */
  readonly entry?: string
  readonly outfile: string
}

export async function compileProgram({ version, releaseKey, entry = 'src/main.ts', outfile }: Program): Promise<void> {
  const [, ...threads] = BUNDLE.entrypoints
  const isBellhop = entry === 'src/main.ts'
  await Bun.build({
    ...BUNDLE,
    bytecode: true,
    entrypoints: [entry, ...(isBellhop ? threads : [])].map((path) => join(root, path)),
    root: isBellhop ? join(root, 'src') : dirname(join(root, entry)),
    define: {
      ...BUNDLE.define,
      BELLHOP_TARGET: JSON.stringify(TARGET),
      BELLHOP_RELEASE_KEY: JSON.stringify(releaseKey),
    },
    plugins: [
      {
        name: 'version',
        setup(build) {
          build.onLoad({ filter: /\/package\.json$/ }, async ({ path }) => {
            const manifest: object = await Bun.file(path).json()
            const own = path === join(root, 'package.json') ? { ...manifest, version } : manifest
            return { contents: JSON.stringify(own), loader: 'json' }
          })
        },
      },
    ],
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  })
}
