import { readServiceAccount } from '../../application/credential.ts'
import { problems } from '../command.ts'
import type { RunCommand } from '../command.ts'
import { readCredentialFile, storeCredential } from './store-credential.ts'

export const run: RunCommand = async (given, context) => {
  const path = given.flags.get('service-account')
  if (path === undefined) return problems('app fcm needs --service-account FILE.json.')
  return storeCredential(given, context, () => {
    const file = readCredentialFile(path, context)
    return file.kind === 'read' ? readServiceAccount(file.text) : file
  })
}
