import { lookup } from 'node:dns/promises'

/** Rejects if the host has no address. */
export async function addressesOf(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}
