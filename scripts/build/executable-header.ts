// Identifies an executable by its first bytes: ELF (https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html,
// 64 bits, little endian) or Mach-O (mach-o/loader.h of Darwin).

const ELF_MAGIC = 0x7f_45_4c_46
/** `e_machine`: EM_X86_64, EM_AARCH64. */
const ELF_MACHINES: Readonly<Record<number, string>> = { 62: 'x64', 183: 'arm64' }
/** `p_type` of the segment that names the loader, which differs between glibc and musl. */
const PT_INTERP = 3

const MACH_O_MAGIC = 0xfe_ed_fa_cf
/** `cputype`: CPU_TYPE_X86_64, CPU_TYPE_ARM64. */
const MACH_O_MACHINES: Readonly<Record<number, string>> = { 0x01_00_00_07: 'x64', 0x01_00_00_0c: 'arm64' }

/** Bytes to read. */
const HEADER_BYTES = 4096

export async function headerOfFile(path: string): Promise<string> {
  return executableHeader(await Bun.file(path).slice(0, HEADER_BYTES).bytes())
}

/** `ELF arm64 /lib/ld-linux-aarch64.so.1`, `Mach-O arm64`, or `unknown`. */
export function executableHeader(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.byteLength < 64) return 'unknown'
  if (view.getUint32(0) === ELF_MAGIC) {
    return `ELF ${ELF_MACHINES[view.getUint16(18, true)] ?? 'unknown'} ${elfLoader(bytes, view) ?? 'without a loader'}`
  }
  if (view.getUint32(0, true) === MACH_O_MAGIC) {
    return `Mach-O ${MACH_O_MACHINES[view.getUint32(4, true)] ?? 'unknown'}`
  }
  return 'unknown'
}

function elfLoader(bytes: Uint8Array, view: DataView): string | null {
  const [tableAt, entrySize, entries] = [
    Number(view.getBigUint64(32, true)),
    view.getUint16(54, true),
    view.getUint16(56, true),
  ]
  for (let entry = 0; entry < entries; entry++) {
    const at = tableAt + entry * entrySize
    if (at + entrySize > bytes.length) return null
    if (view.getUint32(at, true) !== PT_INTERP) continue
    const [from, size] = [Number(view.getBigUint64(at + 8, true)), Number(view.getBigUint64(at + 32, true))]
    // Without the terminating zero.
    return new TextDecoder().decode(bytes.subarray(from, from + size - 1))
  }
  return null
}
