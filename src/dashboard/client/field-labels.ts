/** Where the words of the field name are not enough. */
const LABELS: Readonly<Record<string, string>> = {
  msg: 'Message',
  subject: 'Contact',
  topic: 'Bundle ID',
  current: 'Current password',
  new: 'Replace the key',
  serviceAccount: 'The JSON file',
  certificate: 'The certificate file',
}

/**
 * Replaces the field name in an API sentence: `keyId must be …` becomes `Key ID must be …`, and `key: The file …`
 * becomes `The file …`. Other sentences stay.
 */
export function withLabel(sentence: string): string {
  const [, field = '', below = '', rest = ''] =
    /^(?!bellhop )([a-z][A-Za-z]*(?:_[a-z]+)*)((?:[.[][^\s,:]*)?)([ :].*)$/s.exec(sentence) ?? []
  if (field === '') return sentence
  if (rest.startsWith(': ')) return `${rest.charAt(2).toUpperCase()}${rest.slice(3)}`
  return labelOf(below === '' ? field : (/[a-z_]+$/i.exec(below)?.[0] ?? field)) + rest
}

function labelOf(field: string): string {
  const words = field
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .replaceAll(/\b(id|url)\b/g, (acronym) => acronym.toUpperCase())
  return LABELS[field] ?? words.charAt(0).toUpperCase() + words.slice(1)
}
