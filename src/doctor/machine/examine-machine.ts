import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readVerification } from '../../backup/verified-file.ts'
import { isServed } from '../../database/directory-lock.ts'
import { reserveIn } from '../../database/reserve.ts'
import { codeOf } from '../../text/error-code.ts'
import { VERSION } from '../../version.ts'
import type { DoctorConfig, DoctorContext } from '../context.ts'
import { failing, ok, skipped } from '../finding.ts'
import type { CheckList, Finding } from '../finding.ts'
import { checkBackups, judgeVerified } from './backup-check.ts'
import { judgeFileSystem, judgeSpace, judgeSync, measureSync, unwritable } from './disk-check.ts'
import { checkLeftovers, judgeKeyFile, judgeModes, judgeOwners, readModes } from './files-check.ts'
import { judgeListeners, tryListening } from './listen-check.ts'
import { judgeMemory, judgeOpenFiles } from './process-check.ts'
import { askServer, judgeServer } from './server-check.ts'
import { checkTlsFiles, judgeSettings, trustedAuthorities } from './settings-check.ts'

/** Everything that does not depend on the database's content. */
export async function examineMachine(
  config: DoctorConfig,
  warnings: readonly string[],
  list: CheckList,
  { env, readFile, clock, stopwatch, openBucket }: DoctorContext,
  offline: boolean,
): Promise<void> {
  const { data, gatewayCa, tlsCert, tlsKey, backup, backupEvery: everyMs, backupVerify } = config
  const look = (id: string, check: () => Finding | Promise<Finding>) => list.look({ id, group: 'machine' }, check)
  const textOf = (path: string): string | null => {
    const file = readFile(path)
    return file.kind === 'read' ? new TextDecoder().decode(file.bytes) : null
  }
  let served = false
  let answered = false

  await look('settings', () => judgeSettings(warnings, env))
  await look('server', async () => {
    const { adminListen: address } = config
    served = existsSync(data) && isServed(data)
    const answer = await askServer(address, clock)
    answered = answer.kind === 'answered'
    return judgeServer(answer, { served, address, version: VERSION })
  })
  await look('listen', async () =>
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
  await look('memory', () =>
    judgeMemory(
      {
        meminfo: textOf('/proc/meminfo'),
        max: textOf('/sys/fs/cgroup/memory.max'),
        used: textOf('/sys/fs/cgroup/memory.current'),
      },
      served,
    ),
  )
  await look('open-files', () => judgeOpenFiles(textOf('/proc/self/limits')))
  await look('disk-space', () => {
    const { bavail, bsize, ffree, files } = statfsSync(existing(data))
    const database = bytesOf(() => statSync(join(data, 'bellhop.db')).size)
    const reserve = bytesOf(() => reserveIn(data))
    return judgeSpace({ free: bavail * bsize, freeFiles: ffree, files }, database, reserve)
  })
  await look('file-system', () =>
    judgeFileSystem(process.platform === 'linux' ? statfsSync(existing(data)).type : null),
  )
  await look('disk-sync', () => {
    try {
      return judgeSync(measureSync(existing(data), stopwatch))
    } catch (error) {
      return unwritable(existing(data), codeOf(error) ?? String(error))
    }
  })
  if (existsSync(data)) {
    await look('file-modes', () => judgeModes(data, readModes(data)))
    await look('file-owner', () => judgeOwners(data, readModes(data), process.getuid?.() ?? null))
  }
  await look('backups', () => checkBackups({ data, backup, everyMs, offline, now: clock.now(), openBucket }))
  if (backup !== null && backupVerify === 'on') {
    await look('backup-verified', () => judgeVerified(readVerification(data), clock.now()))
  }
  if (existsSync(data)) {
    const folder = backup === null || /^s3:/i.test(backup) ? null : backup
    await look('leftovers', () => checkLeftovers(data, folder, clock.now()))
  }
  const keyFile = env['BELLHOP_KEY_FILE'] ?? ''
  if (keyFile !== '') await look('key-file', () => judgeKeyFile(keyFile, statSync(keyFile).mode))
  if (gatewayCa !== null) {
    await look('gateway-ca', async () => {
      const trusted = await trustedAuthorities(gatewayCa)
      if (typeof trusted !== 'object') return ok(`The authorities of ${gatewayCa} are trusted.`)
      return failing(trusted.problem, 'Fix --gateway-ca: serve does not start.')
    })
  }
  await look('tls-certificate', () =>
    tlsCert !== null && tlsKey !== null
      ? checkTlsFiles(tlsCert, tlsKey, readFile, clock.now())
      : skipped('The API is served without TLS (--tls-cert).'),
  )
}

/** The directory, or its nearest existing parent. */
function existing(directory: string): string {
  const path = resolve(directory)
  return existsSync(path) || path === dirname(path) ? path : existing(dirname(path))
}

/** 0 if unreadable: other checks report that. */
function bytesOf(read: () => number): number {
  try {
    return read()
  } catch {
    return 0
  }
}
