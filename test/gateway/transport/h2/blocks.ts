import type { HpackFault } from '../../../../src/gateway/transport/h2/hpack-decoder.ts'
import { HpackDecoder } from '../../../../src/gateway/transport/h2/hpack-decoder.ts'

/** Bytes from hexadecimal digits, with spaces anywhere. */
export function hex(digits: string): Buffer {
  return Buffer.from(digits.replaceAll(/\s/g, ''), 'hex')
}

/** The fields of a block as `name: value`, or what is wrong with it. */
export function fieldsIn(decoder: HpackDecoder, block: Buffer): readonly string[] | HpackFault {
  // Among other bytes, as a block is in what has come from a socket.
  const around = Buffer.concat([Buffer.from([0x82]), block, Buffer.from([0x84, 0x84])])
  const fields = decoder.decode(around, 1, 1 + block.length)
  return typeof fields === 'string' ? fields : fields.map(({ name, value }) => `${name}: ${value}`)
}

/** The same, as the first block of a connection. */
export function fieldsInFirst(block: Buffer): readonly string[] | HpackFault {
  return fieldsIn(new HpackDecoder(), block)
}

/** RFC 7541, 5.1: `value` with `flags` beside a prefix of so many bits. */
export function integer(flags: number, prefixBits: number, value: number): Buffer {
  const most = 2 ** prefixBits - 1
  if (value < most) return Buffer.from([flags | value])
  const bytes = [flags | most]
  let rest = value - most
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

/** RFC 7541, 5.2, without the Huffman code. */
export function string(text: string): Buffer {
  return Buffer.concat([integer(0, 7, text.length), Buffer.from(text, 'latin1')])
}

/** RFC 7541, 6.2.1: a field with a new name, which goes into the table. */
export function inserted(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x40]), string(name), string(value)])
}

/** RFC 7541, 6.1. */
export function indexed(index: number): Buffer {
  return integer(0x80, 7, index)
}

/** RFC 7541, 6.3. */
export function sizeUpdate(bytes: number): Buffer {
  return integer(0x20, 5, bytes)
}
