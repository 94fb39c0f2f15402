import { useSignal } from '@preact/signals'
import type { SamplesAnswer } from '../../admin/api-types/sample-types.ts'
import { Choices } from './field.tsx'
import { Code } from './page.tsx'

/** In the browser's storage: whoever writes for Android does so tomorrow, too. */
const KEPT = 'bellhop-sample'

/** Code for each kind of app, one kind at a time. */
export function Samples({ of, manual }: { readonly of: SamplesAnswer['samples']; readonly manual: string }) {
  const chosen = useSignal(localStorage.getItem(KEPT))
  const shown = of.find(({ title }) => title === chosen.value) ?? of[0]
  if (shown === undefined) return null
  const { title, page, code } = shown
  return (
    <>
      <Choices
        legend="Your app"
        options={of.map((sample) => [sample.title, sample.title])}
        value={title}
        onValue={(wanted) => {
          chosen.value = wanted
          localStorage.setItem(KEPT, wanted)
        }}
      />
      {code.map((text, at) => (
        <Code key={`${title} ${at}`} text={text} label={code.length === 1 ? title : `${title}, part ${at + 1}`} />
      ))}
      <p>
        What else a project needs: <a href={`${manual}/${page}`}>{title} app</a> in the manual.
      </p>
    </>
  )
}
