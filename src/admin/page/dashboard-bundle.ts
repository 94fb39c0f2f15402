import { join } from 'node:path'

export interface DashboardFile {
  /** With part of a hash of the content: `main-0123456789abcdef.js`. */
  readonly name: string
  readonly text: string
}

/**
 * Bundles the dashboard. The executable contains the result (`BELLHOP_DASHBOARD`). The same sources make the same bytes,
 * wherever they are. Throws Bun's error.
 */
export async function bundleDashboard(): Promise<{ files: readonly DashboardFile[]; metafile: Bun.BuildMetafile }> {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../dashboard/main.tsx')],
    target: 'browser',
    format: 'esm',
    minify: true,
    metafile: true,
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  if (metafile === undefined) throw new Error('Bun told nothing of what is in the dashboard')
  const files = outputs.map(async (output) => {
    const text = await output.text()
    const [, stem = '', ending = ''] = /([^/]+)\.(js|css)$/.exec(output.path) ?? []
    const digest = new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16)
    return { name: `${stem}-${digest}.${ending}`, text }
  })
  return { files: await Promise.all(files), metafile }
}
