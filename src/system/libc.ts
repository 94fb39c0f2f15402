import { dlopen } from 'bun:ffi'
import type { FFIFunction, Library } from 'bun:ffi'

/** Of glibc and of musl. */
const NAMES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

/** Functions of Linux's C library; `null` on other systems, or if it lacks one of them. */
export function libcOf<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>['symbols'] | null {
  if (process.platform !== 'linux') return null
  for (const name of NAMES) {
    try {
      return dlopen(name, functions).symbols
    } catch {
      // The next one.
    }
  }
  return null
}

/**
 * Ends the process without Bun's cleanup, which closes all databases, and SQLite then writes the log into the file
 * (1.4.5). Returns if this system has no such call.
 */
export function endAtOnce(exitCode: number): void {
  libcOf({ _exit: { args: ['i32'], returns: 'void' } })?._exit(exitCode)
}
