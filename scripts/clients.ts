// Compiles the client libraries that this machine has a compiler for, and runs their tests. Takes six minutes, plus a
// first download of compilers and Expo (1 GB). Debian packages: openjdk-17-jdk-headless; for Dart also libc6-i386 and
// qemu-user-static. Swift needs Debian.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { $ } from 'bun'
import { installSwift } from './swift-compiler.ts'

const TOOLS = join(import.meta.dir, '../.tools/clients')
/** Keyed by a file that exists once they are installed. */
const PACKAGES = {
  'kotlin-compiler': ['kotlin-compiler@2.4.20'],
  // Contains Dart 3.7 with its compiler. Sass's packages for other processors have a Dart that runs only Sass.
  'sass-embedded-linux-ia32': ['sass-embedded-linux-ia32@1.89.0'],
  'expo-file-system': [
    'expo@58.0.26',
    'expo-file-system@58.0.14',
    'expo-notifications@58.0.2',
    'react@19.3.0',
    'react-native@0.88.1',
    '@types/react@19.2.18',
    'typescript@5.9.3',
  ],
}

if (Bun.which('java') === null) {
  console.error('A JDK is needed, such as Debian’s openjdk-17-jdk-headless.')
  process.exit(2)
}
const missing = Object.keys(PACKAGES).filter((name) => !existsSync(join(TOOLS, 'node_modules', name)))
if (missing.length > 0) {
  const all = Object.values(PACKAGES).flat()
  // All at once, since npm removes what it is not given. Forced: Sass's is for another processor.
  await $`mkdir -p ${TOOLS} && npm install --prefix ${TOOLS} --no-save --ignore-scripts --force ${all}`
}
const without = await installSwift(join(TOOLS, 'swift'))
if (without !== null) console.error(without)
const { exitCode } = await $`${process.execPath} test test/client --timeout=300000`.nothrow()
process.exit(exitCode)
