// Runs every file of `bellhop backend` against a server. Takes a minute, mostly for compiling Go's standard library.
// Installs nothing, and names missing Debian packages.
import { $ } from 'bun'
import { LANGUAGES, missing } from '../test/client/backends/languages.ts'

for (const language of LANGUAGES) {
  const why = missing(language)
  if (why !== '') console.error(`Without ${language.name}: ${why}.`)
}
const { exitCode } = await $`${process.execPath} test test/client/backends.test.ts --timeout=300000`
  .env({ ...process.env, BELLHOP_TEST_BACKENDS: 'all' })
  .nothrow()
process.exit(exitCode)
