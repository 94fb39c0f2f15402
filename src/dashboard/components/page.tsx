import { useSignal } from '@preact/signals'
import { createContext } from 'preact'
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import { Notice } from './notice.tsx'

export const PageTitle = createContext('')

interface Props {
  /** Default: from the list of pages. */
  readonly title?: string | undefined
  readonly lead?: ComponentChildren
  readonly action?: ComponentChildren
  readonly problem?: string | null
  /** The page's calls as commands. */
  readonly curl?: readonly string[]
  readonly children?: ComponentChildren
}

/** Later pages move the focus to their heading. */
let isLoaded = false

export function Page({ title: own, lead, action, problem = null, curl = [], children }: Props) {
  const listed = useContext(PageTitle)
  const title = own ?? listed
  const page = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const path = location.pathname
  useEffect(() => {
    if (isLoaded) (document.querySelector<HTMLElement>('[autofocus]') ?? heading.current)?.focus()
    isLoaded = true
  }, [path])
  useEffect(() => keepFocus(page.current, heading.current), [])
  useEffect(() => {
    document.title = `${title} · Bellhop`
  }, [title])
  return (
    <article ref={page}>
      <header class="head">
        <div>
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {action !== undefined && <div>{action}</div>}
      </header>
      <Notice level="error">{problem}</Notice>
      {children}
      {curl.length > 0 && (
        <details class="curl">
          <summary>The same as curl</summary>
          {curl.map((command) => (
            <Code key={command} text={command} label="Command" />
          ))}
        </details>
      )}
    </article>
  )
}

/** Moves the focus to the heading when what has it is removed from the page. */
function keepFocus(page: HTMLElement | null, heading: HTMLElement | null): () => void {
  let last: Node | null = null
  const observer = new MutationObserver(() => {
    if (last?.isConnected !== false || document.activeElement !== document.body) return
    last = null
    heading?.focus({ preventScroll: true })
  })
  page?.addEventListener('focusin', ({ target }) => (last = target as Node))
  if (page !== null) observer.observe(page, { childList: true, subtree: true })
  return () => observer.disconnect()
}

/** Focusable, since it scrolls. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </div>
  )
}

/** Browsers allow the clipboard over https and on localhost only. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const copied = useSignal<string | null>(null)
  if (!isSecureContext) return null
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    copied.value = text
  }
  return (
    <button type="button" class="quiet copy" onClick={() => void copy()}>
      <span aria-live="polite">{copied.value === text ? 'Copied' : label}</span>
    </button>
  )
}
