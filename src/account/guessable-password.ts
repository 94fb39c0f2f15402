/** Shorter names are part of too many words. */
const MIN_NAME = 3

/**
 * Why a password of sufficient length is refused, to follow the field's name; `null`: accepted. Lists have few
 * passwords of 12 characters, so characters around a common one are removed first (NIST SP 800-63B, 5.1.1.2).
 */
export async function guessableAs(password: string, name: string): Promise<string | null> {
  const { COMMON_PASSWORDS } = await import('./common-passwords.ts')
  const isCommon = (text: string) => COMMON_PASSWORDS.has(text) || COMMON_PASSWORDS.has(wordIn(text))
  const text = password.toLowerCase()
  const [, repeated = text] = /^(.+?)\1+$/su.exec(text) ?? []
  if (isCommon(text) || isCommon(repeated) || Array.from(repeated).length <= 3) {
    return 'must not be a common password, even repeated or with digits and symbols around it'
  }
  const own = ['bellhop', name.toLowerCase()].filter((word) => word.length >= MIN_NAME)
  const rest = own.reduce((left, word) => left.replaceAll(word, ''), text)
  if (rest !== text && (wordIn(rest) === '' || isCommon(rest))) {
    return 'must not be the name or "bellhop" with a few characters added'
  }
  return null
}

function wordIn(text: string): string {
  return text.replaceAll(/^\P{L}+|\P{L}+$/gu, '')
}
