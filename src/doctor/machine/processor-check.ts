import { ok } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { counted } from '../quantity.ts'

/** `cpuinfo`: what /proc/cpuinfo says; `null` where there is none. */
export function judgeProcessor(cpuinfo: string | null, cores: number): Finding {
  const flags = /^flags\s*:(.*)$/m.exec(cpuinfo ?? '')?.[1]
  // Bun has one build for all x64 since 1.4, from Nehalem (2008) on; before, one without AVX2 ended at once here.
  const old = flags !== undefined && !flags.split(' ').includes('avx2')
  return ok(`${counted(cores, 'core')}${old ? ', without AVX2, which this program does not need' : ''}.`)
}
