import type { ComponentChildren } from 'preact'

interface Props {
  readonly level: 'error' | 'warning' | 'good' | 'note'
  /** `null`: no notice. */
  readonly children: ComponentChildren
}

const WORDS = { error: 'Error: ', warning: 'Warning: ', good: 'Done: ', note: '' }

/** A word says the same as the colour. */
export function Notice({ level, children }: Props) {
  if (children === null) return null
  return (
    <div class={`notice ${level}`} role={level === 'error' ? 'alert' : 'status'}>
      <span class="unseen">{WORDS[level]}</span>
      {children}
    </div>
  )
}

/** Replaces an empty list. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
