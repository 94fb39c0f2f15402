// Compiles the client libraries that a compiler here can build, and runs their tests: about two minutes, most of it for
// downloading the compilers once. Needs a JDK (Debian: apt-get install openjdk-17-jdk-headless).
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'

const TOOLS = join(import.meta.dir, '../.tools/clients')
const KOTLIN = 'kotlin-compiler@2.4.20'

if (Bun.which('java') === null) {
  console.error('A JDK is needed, such as Debian’s openjdk-17-jdk-headless.')
  process.exit(2)
}
if (!existsSync(join(TOOLS, 'node_modules/kotlin-compiler'))) {
  await $`mkdir -p ${TOOLS} && npm install --prefix ${TOOLS} --no-save --ignore-scripts ${KOTLIN}`
}
const { exitCode } = await $`${process.execPath} test test/client --timeout=300000`.nothrow()
process.exit(exitCode)
