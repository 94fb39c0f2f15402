// Runs a program under tracer.c: `bun tracer.ts PLAN DIRECTORY PROGRAM ARGUMENT…`; exits with its code.
import { cc, ptr } from 'bun:ffi'
import { join } from 'node:path'
import { toldBeside } from './fault-plan.ts'

const [plan = '', directory = '', ...argv] = process.argv.slice(2)
const { symbols } = cc({
  source: join(import.meta.dir, 'tracer.c'),
  symbols: { trace: { args: ['ptr', 'ptr', 'ptr', 'ptr'], returns: 'int' } },
})

const words = argv.map(terminated)
const pointers = new BigUint64Array([...words.map((word) => BigInt(ptr(word))), 0n])
const told = terminated(toldBeside(plan))
process.exit(symbols.trace(ptr(terminated(plan)), ptr(told), ptr(terminated(directory)), ptr(pointers)))

function terminated(text: string): Uint8Array {
  return Buffer.from(`${text}\0`)
}
