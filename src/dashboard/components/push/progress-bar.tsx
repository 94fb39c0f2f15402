import type { PushSummary } from '../../../admin/api-types/push-types.ts'
import { clock, count, plural, time } from '../text.ts'

type Progress = Pick<
  PushSummary,
  'addressed' | 'accepted' | 'failed' | 'waiting' | 'state' | 'rate' | 'reason' | 'sendAt' | 'local'
>

/** Screen readers announce the sentence once sending stops. */
export function ProgressBar({ progress }: { readonly progress: Progress }) {
  const { addressed, accepted, failed } = progress
  const width = (part: number): string => `${addressed === 0 ? 0 : (100 * part) / addressed}%`
  return (
    <div>
      <div
        class="bar"
        role="progressbar"
        aria-label="Sent so far"
        aria-valuemin={0}
        aria-valuemax={addressed}
        aria-valuenow={accepted + failed}
        aria-valuetext={sentence(progress)}
      >
        <span class="accepted" style={{ width: width(accepted) }} />
        <span class="failed" style={{ width: width(failed) }} />
      </div>
      <p aria-live={progress.state === 'sending' ? 'off' : 'polite'}>{sentence(progress)}</p>
    </div>
  )
}

function sentence({ addressed, accepted, failed, waiting, state, rate, reason, sendAt, local }: Progress): string {
  const done = `${count(accepted)} of ${plural(addressed, 'device')} accepted`
  const lost = failed === 0 ? '' : `, ${count(failed)} failed`
  const turn = local === null ? '' : `${clock(local)} by the clock of each device`
  switch (state) {
    case 'scheduled':
      return `Scheduled for ${turn || time(sendAt)}.`
    case 'held':
      return `On hold until ${time(sendAt)}. You can cancel it until then.`
    case 'sending': {
      const left = rate > 0 && waiting > 0 ? `, about ${duration(waiting / rate)} left` : ''
      return `${turn && `At ${turn}: `}${done}${lost}${rate > 0 ? `, ${count(Math.round(rate))} a second` : ''}${left}`
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
