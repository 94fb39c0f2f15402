import { useEffect, useRef } from 'preact/hooks'

/**
 * For links that scroll sideways where the window is narrow: the one to `path`, which is shown, is scrolled to. At once, and
 * the page itself stays where it is: `scrollIntoView` would take it along.
 */
export function useCurrentInView(path: string) {
  const links = useRef<HTMLElement>(null)
  useEffect(() => {
    const current = links.current?.querySelector('[aria-current]')?.getBoundingClientRect()
    if (links.current === null || current === undefined) return
    const { left, right } = links.current.getBoundingClientRect()
    links.current.scrollLeft += Math.min(0, current.left - left) + Math.max(0, current.right - right)
  }, [path])
  return links
}
