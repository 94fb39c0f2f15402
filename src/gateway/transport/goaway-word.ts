/**
 * The word in the debug data of a GOAWAY: APNs says there why it parts, as `{"reason":"BadCertificateEnvironment"}`.
 * Nothing but a name is passed on; `null`: there is none.
 */
export function wordIn(debugData: Buffer): string | null {
  return /"reason"\s*:\s*"(\w{1,64})"/.exec(debugData.toString('latin1', 0, 1024))?.[1] ?? null
}
