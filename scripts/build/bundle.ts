import { bundleDashboard } from '../../src/admin/page/dashboard-bundle.ts'

/** What is compiled, and how, for whatever platform. */
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
  // In one file, the functions of modules that are loaded later would exist from the start, for each full collection to
  // visit: of an idle heap's 73,700 objects 9,600. From the start to ready 84 ms in place of 105, with the lazy imports.
  splitting: true,
  // Not identifiers: Elysia reads the text of its handlers.
  minify: { whitespace: true, syntax: true, identifiers: false },
  define: { 'process.env.NODE_ENV': '"production"' },
  metafile: true,
} satisfies Bun.BuildConfig

/** What gets into the executable, that which a browser runs too: nothing of it is written. */
export async function bundledFiles(): Promise<Bun.BuildMetafile> {
  return together(metafileOf(await Bun.build(BUNDLE)), (await bundleDashboard('release')).metafile)
}

/** The program and what a browser runs; both have a `main.js`. */
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
