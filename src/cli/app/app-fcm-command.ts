import { readServiceAccount } from '../../application/credential.ts'
import { FINE, problems } from '../command.ts'
import type { CheckArguments, RunOnApplication } from '../command.ts'
import { readGivenFile } from '../read-given-file.ts'
import { storeCredential } from './store-credential.ts'

export const check: CheckArguments = ({ flags }) =>
  flags.has('service-account') ? FINE : problems('app fcm needs --service-account FILE.json.')

export const run: RunOnApplication = async ({ flags }, world) => {
  const file = readGivenFile(flags.get('service-account') ?? '', world)
  return storeCredential(flags, world, file.kind === 'read' ? readServiceAccount(file.text) : file)
}
