// Compiles the client libraries that a compiler here can build, and runs their tests: about four minutes, and more when the
// compilers are downloaded first. Debian's packages for it: openjdk-17-jdk-headless, and for Dart libc6-i386 and
// qemu-user-static.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'

const TOOLS = join(import.meta.dir, '../.tools/clients')
const KOTLIN = 'kotlin-compiler@2.4.20'
/** Has Dart 3.7 with its compiler. Sass's packages for other processors have a Dart that runs nothing but Sass. */
const DART = 'sass-embedded-linux-ia32@1.89.0'

if (Bun.which('java') === null) {
  console.error('A JDK is needed, such as Debian’s openjdk-17-jdk-headless.')
  process.exit(2)
}
if (!['kotlin-compiler', 'sass-embedded-linux-ia32'].every((name) => existsSync(join(TOOLS, 'node_modules', name)))) {
  // In one call: npm removes what it is not told of. By force: of another processor.
  await $`mkdir -p ${TOOLS} && npm install --prefix ${TOOLS} --no-save --ignore-scripts --force ${KOTLIN} ${DART}`
}
const { exitCode } = await $`${process.execPath} test test/client --timeout=300000`.nothrow()
process.exit(exitCode)
