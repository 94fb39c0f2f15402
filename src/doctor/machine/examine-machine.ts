import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readVerification } from '../../backup/verified-file.ts'
import { isServed } from '../../database/directory-lock.ts'
import { reserveIn } from '../../database/reserve.ts'
import { StartRefused } from '../../failure.ts'
import { authoritiesIn } from '../../gateway/transport/authorities.ts'
import { codeOf } from '../../text/error-code.ts'
import { VERSION } from '../../version.ts'
import type { CheckList } from '../check-list.ts'
import type { DoctorConfig, DoctorContext } from '../context.ts'
import { failing, ok, skipped } from '../finding.ts'
import { checkBackups } from './backup-check.ts'
import { judgeFileSystem, judgeSpace, judgeSync, measureSync, unwritable } from './disk-check.ts'
import { checkLeftovers, judgeKeyFile, judgeModes, judgeOwners, readModes } from './files-check.ts'
import { judgeListeners, tryListening } from './listen-check.ts'
import { judgeMemory, judgeOpenFiles } from './process-check.ts'
import { askServer, judgeServer } from './server-check.ts'
import { checkTlsFiles, judgeSettings } from './settings-check.ts'
import { judgeVerified } from './verified-check.ts'

/** What does not depend on what is in the database. */
export async function examineMachine(
  config: DoctorConfig,
  warnings: readonly string[],
  list: CheckList,
  { env, readFile, clock, stopwatch, openBucket }: DoctorContext,
  offline: boolean,
): Promise<void> {
  const { data, gatewayCa, tlsCert, tlsKey, backup, backupEvery: everyMs, backupVerify } = config
  const group = 'machine'
  const textOf = (path: string): string | null => {
    const file = readFile(path)
    return file.kind === 'read' ? new TextDecoder().decode(file.bytes) : null
  }
  let served = false
  let answered = false

  await list.look({ id: 'settings', group }, () => judgeSettings(warnings, env))
  await list.look({ id: 'server', group }, async () => {
    const { adminListen: address } = config
    served = existsSync(data) && isServed(data)
    const answer = await askServer(address, clock)
    answered = answer.kind === 'answered'
    return judgeServer(answer, { served, address, version: VERSION })
  })
  await list.look({ id: 'listen', group }, async () =>
    judgeListeners(
      [
        { flag: '--listen', address: config.listen, tried: await tryListening(config.listen, readFile) },
        {
          flag: '--admin-listen',
          address: config.adminListen,
          tried: await tryListening(config.adminListen, readFile),
        },
      ],
      { served, answered },
    ),
  )
  await list.look({ id: 'memory', group }, () =>
    judgeMemory(
      {
        meminfo: textOf('/proc/meminfo'),
        max: textOf('/sys/fs/cgroup/memory.max'),
        used: textOf('/sys/fs/cgroup/memory.current'),
      },
      served,
    ),
  )
  await list.look({ id: 'open-files', group }, () => judgeOpenFiles(textOf('/proc/self/limits')))
  await list.look({ id: 'disk-space', group }, () => {
    const { bavail, bsize, ffree, files } = statfsSync(existing(data))
    return judgeSpace(
      { free: bavail * bsize, freeFiles: ffree, files },
      sizeOf(join(data, 'bellhop.db')),
      reserveOf(data),
    )
  })
  await list.look({ id: 'file-system', group }, () =>
    judgeFileSystem(process.platform === 'linux' ? statfsSync(existing(data)).type : null),
  )
  await list.look({ id: 'disk-sync', group }, () => {
    try {
      return judgeSync(measureSync(existing(data), stopwatch))
    } catch (error) {
      return unwritable(existing(data), codeOf(error) ?? String(error))
    }
  })
  if (existsSync(data)) {
    await list.look({ id: 'file-modes', group }, () => judgeModes(data, readModes(data)))
    await list.look({ id: 'file-owner', group }, () => judgeOwners(data, readModes(data), process.getuid?.() ?? null))
  }
  await list.look({ id: 'backups', group }, () =>
    checkBackups({ backup, everyMs, offline, now: clock.now(), openBucket }),
  )
  if (backup !== null && backupVerify === 'on') {
    await list.look({ id: 'backup-verified', group }, () => judgeVerified(readVerification(data), clock.now()))
  }
  if (existsSync(data)) {
    const folder = backup === null || /^s3:/i.test(backup) ? null : backup
    await list.look({ id: 'leftovers', group }, () => checkLeftovers(data, folder, clock.now()))
  }
  const keyFile = env['BELLHOP_KEY_FILE'] ?? ''
  if (keyFile !== '') await list.look({ id: 'key-file', group }, () => judgeKeyFile(keyFile, statSync(keyFile).mode))
  if (gatewayCa !== null) {
    await list.look({ id: 'gateway-ca', group }, async () => {
      try {
        await authoritiesIn(gatewayCa)
        return ok(`The authorities of ${gatewayCa} are trusted.`)
      } catch (error) {
        if (!(error instanceof StartRefused)) throw error
        return failing(error.message, 'Put --gateway-ca right: serve does not start.')
      }
    })
  }
  if (tlsCert !== null && tlsKey !== null) {
    await list.look({ id: 'tls-certificate', group }, () => checkTlsFiles(tlsCert, tlsKey, readFile, clock.now()))
  } else {
    await list.look({ id: 'tls-certificate', group }, () => skipped('The API is served without TLS (--tls-cert).'))
  }
}

/** The directory, or what it will be made in. */
function existing(directory: string): string {
  const path = resolve(directory)
  return existsSync(path) || path === dirname(path) ? path : existing(dirname(path))
}

/** Bytes of the reserve; 0 where there is none, or it may not be looked at. */
function reserveOf(directory: string): number {
  try {
    return reserveIn(directory)
  } catch {
    return 0
  }
}

/** Bytes of a file; 0 where there is none, or it may not be looked at: then other checks say so. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}
