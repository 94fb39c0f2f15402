import { bundleDashboard } from '../../src/admin/page/dashboard-bundle.ts'

export const BUNDLE = {
  // All but the first are threads (`src/system/thread.ts`).
  entrypoints: [
    'src/main.ts',
    'src/cli/terminal/gauge-worker.ts',
    'src/database/checkpoint/checkpoint-worker.ts',
    'src/database/migration/upgrade-worker.ts',
    'src/gateway/webpush/agreement-worker.ts',
  ],
  target: 'bun',
  format: 'esm',
  // Keeps lazily imported modules in separate files. In a single one their functions would exist from the start, for
  // each full collection to visit: 9,600 of an idle heap's 73,700 objects, and 105 ms instead of 84 until ready.
  splitting: true,
  // Not identifiers: Elysia reads its handlers' source.
  minify: { whitespace: true, syntax: true, identifiers: false },
  define: { 'process.env.NODE_ENV': '"production"' },
  metafile: true,
} satisfies Bun.BuildConfig

/** Everything bundled into the executable, including the dashboard. Writes nothing. */
export async function bundledFiles(): Promise<Bun.BuildMetafile> {
  return together(metafileOf(await Bun.build(BUNDLE)), (await bundleDashboard('release')).metafile)
}

/** Both have a `main.js`. */
export function together(program: Bun.BuildMetafile, dashboard: Bun.BuildMetafile): Bun.BuildMetafile {
  const browser = Object.entries(dashboard.outputs).map(([path, output]) => [`dashboard ${path}`, output])
  return {
    inputs: { ...program.inputs, ...dashboard.inputs },
    outputs: { ...program.outputs, ...Object.fromEntries(browser) },
  }
}

export function metafileOf({ metafile }: Bun.BuildOutput): Bun.BuildMetafile {
  if (metafile === undefined) throw new Error('Bun told nothing of what is in the bundle')
  return metafile
}
