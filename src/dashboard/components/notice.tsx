import type { ComponentChildren } from 'preact'

interface Props {
  readonly level: 'error' | 'warning' | 'good' | 'note'
  readonly children: ComponentChildren
}

const WORDS = { error: 'Wrong: ', warning: 'Mind: ', good: 'Done: ', note: '' }

/** Something that must not be overlooked; also what the colour says is said in a word. */
export function Notice({ level, children }: Props) {
  return (
    <div class={`notice ${level}`} role={level === 'error' ? 'alert' : 'status'}>
      <span class="unseen">{WORDS[level]}</span>
      {children}
    </div>
  )
}

/** What stands where nothing is yet: what it would be, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
