import { statSync } from 'node:fs'
import { bucketAccess } from '../../backup/bucket-access.ts'
import { openBucket } from '../../backup/bucket.ts'
import type { Bucket } from '../../backup/bucket.ts'
import type { Problem } from '../../failure.ts'
import type { CommandContext } from '../command.ts'

export function bucketOpener({
  env,
  readFile,
  clock,
}: Pick<CommandContext, 'env' | 'readFile' | 'clock'>): (name: string) => Bucket | Problem {
  return (name) => {
    const access = bucketAccess(env, readFile)
    return access.kind === 'problem' ? access : openBucket({ name, access, clock })
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
