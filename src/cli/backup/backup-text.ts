import type { BackupSummary } from '../../backup/summary.ts'
import { counted, isoOrNull, moment } from '../../text/format.ts'

export function contentText({ applications, devices, pushes, sealed, newestAt }: BackupSummary): string {
  const counts = [
    counted(applications.length, 'application'),
    counted(devices, 'device'),
    counted(pushes, 'push', 'pushes'),
    counted(sealed.length, 'sealed credential'),
  ]
  const last = newestAt === null ? '' : ` Its last change was at ${moment(newestAt)}.`
  return `In it: ${counts.join(', ')}.${last}`
}

export function contentJson({ schema, applications, devices, pushes, sealed, newestAt }: BackupSummary) {
  return {
    schema,
    applications: applications.length,
    devices,
    pushes,
    credentials: sealed.length,
    newestAt: isoOrNull(newestAt),
  }
}
