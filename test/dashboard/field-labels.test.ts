import { expect, test } from 'bun:test'
import { withLabel } from '../../src/dashboard/client/field-labels.ts'

test('a sentence about a field has its label, and no other sentence changes', () => {
  for (const [said, shown] of [
    ['name is taken by another token.', 'Name is taken by another token.'],
    ['keyId must be the 10 characters of a key', 'Key ID must be the 10 characters of a key'],
    ['url must be an https URL', 'URL must be an https URL'],
    ['topic must be a bundle ID', 'Bundle ID must be a bundle ID'],
    ['expiresInDays must be 1 to 365', 'Expires in days must be 1 to 365'],
    ['confirm_above must be a number', 'Confirm above must be a number'],
    ['languages.de.image must be an https URL', 'Image must be an https URL'],
    ['key: The APNs key is not a PEM private key.', 'The APNs key is not a PEM private key.'],
    ['bellhop admin remove takes it away.', 'bellhop admin remove takes it away.'],
    ['The server answered with 502.', 'The server answered with 502.'],
    ['', ''],
  ] as const) {
    expect(withLabel(said)).toBe(shown)
  }
})
