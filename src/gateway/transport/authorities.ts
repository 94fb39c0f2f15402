import { rootCertificates } from 'node:tls'
import { StartRefused } from '../../failure.ts'

/** The operator's certificates plus the system's, which `ca` alone would replace. */
export async function authoritiesIn(path: string | null): Promise<string | undefined> {
  if (path === null) return undefined
  const file = Bun.file(path)
  if (!(await file.exists())) throw new StartRefused(`--gateway-ca (BELLHOP_GATEWAY_CA): there is no file ${path}.`)
  const pem = await file.text()
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new StartRefused(`--gateway-ca (BELLHOP_GATEWAY_CA): ${path} holds no PEM certificate.`)
  }
  return [pem, ...rootCertificates].join('\n')
}
