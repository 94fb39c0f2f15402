import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { judgeClock } from '../../../src/doctor/machine/clock-check.ts'
import {
  judgeFileSystem,
  judgeSpace,
  judgeSync,
  measureSync,
  unwritable,
} from '../../../src/doctor/machine/disk-check.ts'
import { judgeKeyFile, judgeModes, judgeOwners } from '../../../src/doctor/machine/files-check.ts'
import { judgeMemory, judgeOpenFiles } from '../../../src/doctor/machine/process-check.ts'
import { judgeServer } from '../../../src/doctor/machine/server-check.ts'
import { checkTlsFiles, judgeSettings } from '../../../src/doctor/machine/settings-check.ts'
import { readSystemFile } from '../../../src/system/read-file.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { expectFinding } from '../expect-finding.ts'

const GB = 1_000_000_000
const NOW = Date.UTC(2026, 10, 20, 12)

describe('the clock', () => {
  const at = (skewMs: number) => [{ header: new Date(NOW).toUTCString(), at: NOW + skewMs }]

  test('agrees, is a little off, or so far that signatures are refused', () => {
    expectFinding(judgeClock(at(700)), 'ok', "The clock agrees with the gateways' to 1 s.")
    expectFinding(judgeClock(at(90_000)), 'warning', 'The clock is 90 s fast.')
    expectFinding(
      judgeClock(at(-3_600_000)),
      'failed',
      /^The clock is 60 minutes slow: gateways refuse/,
      'Let the network set it: timedatectl set-ntp true.',
    )
    expect(judgeClock(at(10 * 3_600_000)).found).toContain('10 hours fast')
  })

  test('is judged by the gateway it agrees with best, and not at all without one', () => {
    expect(judgeClock([...at(3_600_000), ...at(1000)]).state).toBe('ok')
    expect(judgeClock([{ header: 'soon', at: NOW }]).state).toBe('skipped')
    expect(judgeClock([]).state).toBe('skipped')
  })
})

describe('the disk', () => {
  test('has room, little of it, or none', () => {
    const space = { free: 77 * GB, freeFiles: 1000, files: 2000 }
    expectFinding(judgeSpace(space, GB), 'ok', '77 GB of the disk are free; the database has 1.0 GB.')
    expectFinding(judgeSpace({ ...space, free: GB }, 2 * GB), 'warning', undefined, /copy of the database/)
    expectFinding(judgeSpace({ ...space, free: 90_000_000 }, 0), 'failed', /^Only 90 MB/)
    expectFinding(judgeSpace({ ...space, freeFiles: 3 }, 0), 'failed', /3 more files only \(inodes\)/)
    // btrfs does not count files.
    expect(judgeSpace({ ...space, freeFiles: 0, files: 0 }, 0).state).toBe('ok')
  })

  test('is of this machine, of another one, of memory or of a container', () => {
    expect(judgeFileSystem(0xef53).state).toBe('ok')
    expect(judgeFileSystem(null).state).toBe('ok')
    for (const [type, name] of [
      [0x6969, 'NFS'],
      // statfs returns it as a signed number.
      [0xff534d42 | 0, 'CIFS'],
      [0x01021997, '9p'],
      [0x65735546, 'FUSE'],
    ] as const) {
      expect(judgeFileSystem(type)).toMatchObject({
        state: 'warning',
        found: expect.stringContaining(`${name} file system`),
      })
    }
    expect(judgeFileSystem(0x01021994).found).toContain('in memory')
    expect(judgeFileSystem(0x794c7630).advice).toContain('Mount a volume')
  })

  test('is fast or slow, by the median of its writes', () => {
    expectFinding(
      judgeSync([1, 90, 0.4]),
      'ok',
      'A write reaches the disk in 1.0 ms (median of 3), 90 ms at the worst.',
    )
    expectFinding(
      judgeSync([60, 80, 2000]),
      'warning',
      /2\.0 s at the worst: who waits for each answer registers 13 devices a second\./,
    )
  })

  test('is written twenty times, for two seconds at the most, and left as it was', () => {
    using directory = temporaryDirectory('bellhop-disk')
    let now = 0
    expect(measureSync(directory.path, () => now++)).toHaveLength(20)
    expect(measureSync(directory.path, () => (now += 500))).toEqual([500])
    expect(readdirSync(directory.path)).toEqual([])
  })

  test('that cannot be written says why', () => {
    expectFinding(unwritable('/data', 'EROFS'), 'failed', undefined, /Mount its disk writable/)
    expect(unwritable('/data', 'ENOSPC').advice).toContain('Make room')
    expect(unwritable('/data', 'EIO').advice).toContain('dmesg')
  })
})

describe('file modes', () => {
  const directory = { name: '.', mode: 0o700, owner: 998 }
  const database = { name: 'bellhop.db', mode: 0o600, owner: 998 }
  const key = { name: 'key', mode: 0o600, owner: 998 }

  test('keep others out', () => {
    expect(judgeModes('/data', [directory, database, key]).state).toBe('ok')
    expectFinding(
      judgeModes('/data', [{ ...directory, mode: 0o755 }, database]),
      'warning',
      'Others on this machine can read the data directory.',
      'chmod 700 /data',
    )
    expectFinding(
      judgeModes('/data', [{ ...directory, mode: 0o755 }, { ...database, mode: 0o644 }, key]),
      'warning',
      'Others on this machine can read bellhop.db.',
    )
    expectFinding(judgeModes('/data', [directory, { ...key, mode: 0o644 }]), 'warning', /if they can enter/)
    expectFinding(
      judgeModes('/data', [
        { ...directory, mode: 0o750 },
        { ...key, mode: 0o640 },
      ]),
      'failed',
      'Other users of this machine can read the sealing key (key in /data).',
      /bellhop key rotate/,
    )
  })

  test('of a key elsewhere keep strangers out', () => {
    expect(judgeKeyFile('/run/key', 0o100440).state).toBe('ok')
    expectFinding(judgeKeyFile('/run/key', 0o100444), 'warning', undefined, /chmod 600/)
  })

  test('are of one owner, who looks', () => {
    expect(judgeOwners('/data', [directory, database], 998).state).toBe('ok')
    expect(judgeOwners('/data', [directory, database], 0).state).toBe('ok')
    expectFinding(judgeOwners('/data', [directory, database], 1000), 'warning', /runs as user 1000/)
    expectFinding(
      judgeOwners('/data', [directory, database, { ...key, owner: 0 }], 998),
      'failed',
      'In the data directory of user 998, another user owns key.',
      /chown -R --reference=\/data \/data/,
    )
  })
})

describe('the machine', () => {
  test('has memory for a broadcast, also in a container', () => {
    const meminfo = 'MemTotal: 1000000 kB\nMemAvailable:     600000 kB\n'
    expect(judgeMemory({ meminfo, max: null, used: null }, false).state).toBe('ok')
    expect(judgeMemory({ meminfo, max: 'max', used: '5' }, false).state).toBe('ok')
    const small = { meminfo, max: '256000000', used: '156000000' }
    expectFinding(judgeMemory(small, false), 'warning', 'Only 100 MB of memory are free.')
    expect(judgeMemory(small, true).state).toBe('ok')
    expect(judgeMemory({ meminfo: null, max: null, used: null }, false).state).toBe('skipped')
  })

  test('allows open files', () => {
    const limits = (soft: string) =>
      `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${soft}   4096   files\n`
    expect(judgeOpenFiles(limits('4096')).state).toBe('ok')
    expect(judgeOpenFiles(limits('unlimited')).state).toBe('ok')
    expectFinding(judgeOpenFiles(limits('256')), 'warning', undefined, /LimitNOFILE=4096/)
    expect(judgeOpenFiles(null).state).toBe('skipped')
  })

  test('must not believe everybody who poses as Apple', () => {
    expect(judgeSettings([], {}).state).toBe('ok')
    expectFinding(judgeSettings(['BELLHOP_X is not a setting.'], {}), 'warning', /BELLHOP_X/)
    expectFinding(judgeSettings([], { NODE_TLS_REJECT_UNAUTHORIZED: '0' }), 'failed')
  })
})

describe('the server', () => {
  const expected = { served: true, address: { host: '::1', port: 8791 }, version: '0.1.0' }
  const answered = (status: number, body: unknown) => ({ kind: 'answered', status, body }) as const

  test('is ready, is not, is another version, or does not answer', () => {
    expectFinding(
      judgeServer(answered(200, { version: '0.1.0' }), expected),
      'ok',
      'The server at [::1]:8791 is ready.',
    )
    expectFinding(
      judgeServer(answered(503, { reasons: ['Shop: pushes wait.'] }), expected),
      'failed',
      /is not ready: Shop: pushes wait\./,
    )
    expectFinding(judgeServer(answered(200, { version: '0.0.9' }), expected), 'warning', /0\.0\.9/)
    expectFinding(judgeServer(answered(200, { warnings: ['Late.'] }), expected), 'warning', /Late\./)
    expectFinding(judgeServer(answered(401, {}), expected), 'warning', /needs a token/)
    expectFinding(judgeServer({ kind: 'silent' }, expected), 'warning', undefined, /--admin-listen/)
  })

  test('may not be there, or serve something else', () => {
    expectFinding(judgeServer({ kind: 'silent' }, { ...expected, served: false }), 'skipped')
    expect(judgeServer(answered(200, {}), { ...expected, served: false }).found).toContain('serves another one')
  })
})

describe('the TLS files', () => {
  const { certificate, privateKey } = makeCertificate()
  const other = makeCertificate().privateKey
  const files: Readonly<Record<string, string>> = { c: certificate, k: privateKey, o: other, n: 'nothing' }
  const read = (path: string) => {
    const text = files[path]
    if (text === undefined) return readSystemFile('/nonexistent')
    return { kind: 'read', bytes: new TextEncoder().encode(text) } as const
  }
  const now = Date.now()
  const DAY_MS = 86_400_000

  test('are good, end soon, or have ended', () => {
    expect(checkTlsFiles('c', 'k', read, now).state).toBe('ok')
    expectFinding(checkTlsFiles('c', 'k', read, now + 355 * DAY_MS), 'warning', /expires on/)
    expectFinding(checkTlsFiles('c', 'k', read, now + 366 * DAY_MS), 'failed', /expired on/)
    expectFinding(checkTlsFiles('c', 'k', read, now - 2 * DAY_MS), 'failed', /not valid before/)
  })

  test('are there, are what they should be, and belong together', () => {
    expect(checkTlsFiles('?', 'k', read, now).found).toContain('there is no such file')
    expect(checkTlsFiles('c', '?', read, now).found).toContain('there is no such file')
    expect(checkTlsFiles('n', 'k', read, now).found).toContain('n holds no certificate in PEM')
    expect(checkTlsFiles('c', 'n', read, now).found).toContain('n holds no private key in PEM')
    expect(checkTlsFiles('c', 'o', read, now).found).toContain('does not belong to the certificate in c')
  })
})
