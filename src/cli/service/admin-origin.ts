import { hostPort } from '../../settings/network-types.ts'
import type { ListenAddress } from '../../settings/network-types.ts'

/** All addresses include loopback. */
export function adminOrigin({ host, port }: ListenAddress): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${hostPort({ host: reached, port })}`
}
