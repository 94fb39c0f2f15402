import type { SamplesAnswer } from '../../admin/api-types/sample-types.ts'

export function filledIn(
  { samples }: SamplesAnswer,
  { url, application }: { readonly url: string; readonly application: string },
): SamplesAnswer['samples'] {
  const fill = (code: string): string =>
    code.replaceAll('https://push.example.com', url).replaceAll('app_…', application)
  return samples.map((sample) => ({ ...sample, code: sample.code.map(fill) }))
}
