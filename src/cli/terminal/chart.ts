/** Eighths of a character, from one on. */
const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉']

/**
 * A bar of `width` columns at the most: of `value`, the part that is `whole` of it drawn full and the rest shaded, to
 * the scale of `most`. Something that is there is never without a mark. Where nothing is, it is empty.
 */
export function bar(
  { value, whole, max }: { readonly value: number; readonly whole: number; readonly max: number },
  width: number,
  unicode: boolean,
): { readonly full: string; readonly rest: string } {
  if (value <= 0 || max <= 0) return { full: '', rest: '' }
  const columns = Math.min((value / max) * width, width)
  const full = Math.min((whole / max) * width, columns)
  if (!unicode) {
    const shown = Math.max(Math.round(columns), 1)
    const marked = whole > 0 ? Math.min(Math.max(Math.round(full), 1), shown) : 0
    return { full: '#'.repeat(marked), rest: '.'.repeat(shown - marked) }
  }
  const missing = Math.round(columns) - Math.ceil(full)
  const eighths = Math.max(Math.round(full * 8), whole > 0 ? 1 : 0)
  const drawn = '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[(eighths % 8) - 1] ?? '')
  return { full: drawn, rest: '░'.repeat(Math.max(missing, drawn === '' ? 1 : 0)) }
}
