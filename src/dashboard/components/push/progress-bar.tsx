import { progressSentence } from './progress-sentence.ts'
import type { Progress } from './progress-sentence.ts'

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
        aria-valuetext={progressSentence(progress)}
      >
        <span class="accepted" style={{ width: width(accepted) }} />
        <span class="failed" style={{ width: width(failed) }} />
      </div>
      <p aria-live={progress.state === 'sending' ? 'off' : 'polite'}>{progressSentence(progress)}</p>
    </div>
  )
}
