import { join } from 'node:path'

export interface DashboardFile {
  /** With a hash of the content: `main-0123456789abcdef.js`. */
  readonly name: string
  readonly text: string
}

interface Bundled {
  readonly files: readonly DashboardFile[]
  readonly metafile: Bun.BuildMetafile
}

/**
 * `release`: for the executable (`BELLHOP_DASHBOARD`). `development`: also with the page `/components`. The same
 * sources give the same bytes anywhere. Throws Bun's error.
 */
export async function bundleDashboard(kind: 'release' | 'development'): Promise<Bundled> {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../dashboard/main.tsx')],
    target: 'browser',
    format: 'esm',
    minify: true,
    metafile: true,
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    define: { 'process.env.NODE_ENV': '"production"', IS_DEVELOPMENT: String(kind === 'development') },
  })
  if (metafile === undefined) throw new Error('Bun returned no metafile for the dashboard')
  const files = outputs.map(async (output) => {
    const text = await output.text()
    const [, stem = '', ending = ''] = /([^/]+)\.(js|css)$/.exec(output.path) ?? []
    const digest = new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16)
    return { name: `${stem}-${digest}.${ending}`, text }
  })
  return { files: await Promise.all(files), metafile }
}
