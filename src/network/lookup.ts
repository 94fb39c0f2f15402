import { lookup } from 'node:dns/promises'

/** All addresses of a host. Rejects if it has none. */
export async function addressesOf(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}
