import { useSignal } from '@preact/signals'
import { Notice } from './notice.tsx'

interface Props {
  readonly label: string
  /** `.p8` */
  readonly accept: string
  readonly mostBytes: number
  /** The name of the file that is here; `null`: none. */
  readonly chosen: string | null
  /** Gets the file's name and its bytes. */
  readonly onFile: (name: string, bytes: Uint8Array) => void
}

/** A place to drop a file on, which is a field to choose one with too. Nothing is sent: the bytes go to the form. */
export function FileDrop({ label, accept, mostBytes, chosen, onFile }: Props) {
  const isOver = useSignal(false)
  const problem = useSignal<string | null>(null)
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    problem.value = file.size > mostBytes ? `${file.name} has ${file.size} bytes: that is no key.` : null
    if (problem.value === null) onFile(file.name, new Uint8Array(await file.arrayBuffer()))
  }
  return (
    <>
      <label
        class={`drop${isOver.value ? ' over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault()
          isOver.value = true
        }}
        onDragLeave={() => (isOver.value = false)}
        onDrop={(event) => {
          event.preventDefault()
          isOver.value = false
          void take(event.dataTransfer?.files[0])
        }}
      >
        {chosen ?? label}
        <input
          class="unseen"
          type="file"
          accept={accept}
          onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
        />
      </label>
      {problem.value !== null && <Notice level="error">{problem.value}</Notice>}
    </>
  )
}
