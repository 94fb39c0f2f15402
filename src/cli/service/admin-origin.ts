import { hostPort } from '../../settings/network-types.ts'
import type { ListenAddress } from '../../settings/network-types.ts'

/** Where a command on the same machine reaches what listens there: on all addresses means on loopback too. */
export function adminOrigin({ host, port }: ListenAddress): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${hostPort({ host: reached, port })}`
}
