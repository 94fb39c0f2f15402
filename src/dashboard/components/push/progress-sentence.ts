import type { PushSummary } from '../../../admin/api-types/push-types.ts'
import { clock, count, plural, time } from '../text.ts'

export type Progress = Pick<
  PushSummary,
  'addressed' | 'accepted' | 'failed' | 'waiting' | 'state' | 'rate' | 'reason' | 'sendAt' | 'local'
>

export function progressSentence({
  addressed,
  accepted,
  failed,
  waiting,
  state,
  rate,
  reason,
  sendAt,
  local,
}: Progress): string {
  const done = `${count(accepted)} of ${plural(addressed, 'device')} accepted`
  const lost = failed === 0 ? '' : `, ${count(failed)} failed`
  const turn = local === null ? '' : `${clock(local)} by the clock of each device`
  switch (state) {
    case 'scheduled':
      return `Scheduled for ${turn || time(sendAt)}.`
    case 'held':
      return `On hold until ${time(sendAt, '2-digit')}. You can cancel it until then.`
    case 'sending': {
      // Below one a second, what is left waits for retries.
      const speed = Math.round(rate)
      const left = speed > 0 && waiting > 0 ? `, about ${duration(waiting / rate)} left` : ''
      return `${turn && `At ${turn}: `}${done}${lost}${speed > 0 ? `, ${count(speed)} a second` : ''}${left}`
    }
    case 'paused':
      return `${done}${lost}. The rest waits${reason === null ? '' : `: ${reason}`}.`
    case 'finished':
      return addressed === 0 ? 'Finished: no device was addressed.' : `Finished: ${done}${lost}.`
    case 'cancelled':
      return `Cancelled: ${done}${lost}.`
  }
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`
}
