import { describe, expect, test } from 'bun:test'
import { executableHeader, headerOfFile } from '../../scripts/build/executable-header.ts'
import { RELEASE_TARGETS } from '../../scripts/build/targets.ts'

const X64 = 62
const ARM64 = 183
const INTERPRETER = 3

function elf(machine: number, loader: string | null): Uint8Array {
  const view = new DataView(new ArrayBuffer(512))
  view.setUint32(0, 0x7f_45_4c_46)
  view.setUint16(18, machine, true)
  view.setBigUint64(32, 64n, true)
  view.setUint16(54, 56, true)
  view.setUint16(56, 2, true)
  const at = 64 + 56
  if (loader !== null) {
    view.setUint32(at, INTERPRETER, true)
    view.setBigUint64(at + 8, 300n, true)
    view.setBigUint64(at + 32, BigInt(loader.length + 1), true)
    new TextEncoder().encodeInto(loader, new Uint8Array(view.buffer, 300))
  }
  return new Uint8Array(view.buffer)
}

function machO(cpu: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(64))
  view.setUint32(0, 0xfe_ed_fa_cf, true)
  view.setUint32(4, cpu, true)
  return new Uint8Array(view.buffer)
}

describe('the header of an executable', () => {
  test.each([
    [elf(X64, '/lib64/ld-linux-x86-64.so.2'), 'ELF x64 /lib64/ld-linux-x86-64.so.2'],
    [elf(ARM64, '/lib/ld-musl-aarch64.so.1'), 'ELF arm64 /lib/ld-musl-aarch64.so.1'],
    [elf(243, '/lib/ld.so'), 'ELF unknown /lib/ld.so'],
    [elf(X64, null), 'ELF x64 without a loader'],
    // Cut off within its table of segments.
    [elf(X64, '/lib/ld.so').subarray(0, 130), 'ELF x64 without a loader'],
    [machO(0x01_00_00_0c), 'Mach-O arm64'],
    [machO(0x01_00_00_07), 'Mach-O x64'],
    [new TextEncoder().encode('#!/bin/sh\n'.repeat(10)), 'unknown'],
    [new Uint8Array(), 'unknown'],
  ])('%# tells what it is for', (bytes, expected) => {
    expect(executableHeader(bytes)).toBe(expected)
  })

  test('of the Bun that runs this is that of this machine', async () => {
    const format = process.platform === 'darwin' ? 'Mach-O' : 'ELF'
    expect(await headerOfFile(process.execPath)).toStartWith(`${format} ${process.arch}`)
  })

  test('differs for each target of a release', () => {
    expect(new Set(RELEASE_TARGETS.map(({ header }) => header)).size).toBe(RELEASE_TARGETS.length)
    expect(new Set(RELEASE_TARGETS.map(({ runtimeSha256 }) => runtimeSha256)).size).toBe(RELEASE_TARGETS.length)
  })
})
