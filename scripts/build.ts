// Compiles dist/bellhop for this platform; `--target bun-linux-arm64` and the like for others (see Bun's
// documentation, "Single-file executable"), into dist/bellhop-<target>.
import { parseArgs } from 'node:util'
import { $ } from 'bun'

const { values } = parseArgs({ options: { target: { type: 'string' } } })

/**
 * Of what was built, not of when: nothing of the moment gets into the binary. Where there is no repository (an image is
 * built from a part of it), the variables say it.
 */
const commit = process.env['COMMIT'] || (await said($`git describe --always --dirty --abbrev=7 ${'--exclude=*'}`))
const date = process.env['COMMIT_DATE'] || (await said($`git show --no-patch --format=%cs HEAD`))
const outfile = values.target === undefined ? 'dist/bellhop' : `dist/bellhop-${values.target.replace(/^bun-/, '')}`

const result = await Bun.build({
  // All but the first are threads (`src/system/thread.ts`).
  entrypoints: ['src/main.ts', 'src/cli/terminal/gauge-worker.ts', 'src/database/checkpoint-worker.ts'],
  // Not identifiers: Elysia reads the text of its handlers.
  // Compiled ahead: `--version` takes 30 ms in place of 180, and from the start to ready 140 in place of 420, since
  // `serve` starts twice (measured on 2 slow cores). 6 MB more. Bytecode without `format` is CommonJS, without top-level
  // await.
  bytecode: true,
  format: 'esm',
  minify: { whitespace: true, syntax: true, identifiers: false },
  define: {
    'process.env.NODE_ENV': '"production"',
    ...(commit !== '' && {
      BELLHOP_COMMIT: JSON.stringify(commit),
      BELLHOP_COMMIT_DATE: JSON.stringify(date),
    }),
  },
  compile: {
    outfile,
    ...(values.target !== undefined && { target: values.target as Bun.Build.CompileTarget }),
    // Nothing in the directory it happens to run in may change what it does.
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
  },
})
if (!result.success) {
  for (const log of result.logs) console.error(log.message)
  process.exit(1)
}
console.log(`${outfile}: ${Math.round(Bun.file(outfile).size / 1_000_000)} MB`)

async function said(command: $.ShellPromise): Promise<string> {
  return (await command.nothrow().quiet()).text().trim()
}
