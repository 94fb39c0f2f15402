import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'
import { Notice } from './notice.tsx'

interface Props {
  readonly title: string
  /** One sentence below the heading. */
  readonly lead?: ComponentChildren
  /** The one thing that one mostly comes here to do. */
  readonly action?: ComponentChildren
  /** Where the page belongs to: links above the heading. */
  readonly above?: ComponentChildren
  /** Why there is nothing to see. */
  readonly problem?: string | null
  /** The calls behind the page, as commands. */
  readonly curl?: readonly string[]
  readonly children?: ComponentChildren
}

/** What the browser loaded begins where the browser begins; what is gone to afterwards, at its heading. */
let isLoaded = false

/** One view: its heading, which has the focus when one has come to it, what is in it, and the same as curl. */
export function Page({ title, lead, action, above, problem = null, curl = [], children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const path = location.pathname
  useEffect(() => {
    if (isLoaded) heading.current?.focus()
    isLoaded = true
  }, [path])
  useEffect(() => {
    document.title = `${title} · Bellhop`
  }, [title])
  return (
    <article>
      {above}
      <header class="head">
        <div>
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {action !== undefined && <div class="action">{action}</div>}
      </header>
      {problem !== null && <Notice level="error">{problem}</Notice>}
      {children}
      {curl.length > 0 && <Curl commands={curl} />}
    </article>
  )
}

/** The same, for a shell. */
function Curl({ commands }: { readonly commands: readonly string[] }) {
  return (
    <details class="curl">
      <summary>The same as curl</summary>
      {commands.map((command) => (
        <Code key={command} text={command} label="Command" />
      ))}
    </details>
  )
}

/** Text to be copied. It scrolls, so the keyboard must get there. */
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
