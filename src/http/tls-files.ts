import { X509Certificate, createPrivateKey } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { DAY_MS } from '../clock.ts'
import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import type { ReadFile } from '../system/read-file.ts'

/** certbot renews 30 days before the end. */
export const SOON_MS = 14 * DAY_MS

/** Paths. */
export interface TlsFiles {
  readonly certificate: string
  readonly key: string
}

export interface TlsPair {
  readonly cert: string
  readonly key: string
}

export interface ReadPair {
  readonly kind: 'pair'
  readonly pair: TlsPair
  readonly validFrom: number
  readonly validTo: number
  readonly withoutChain: boolean
}

export function readTlsFiles(files: TlsFiles, readFile: ReadFile): ReadPair | Problem {
  const read = readPair(files, readFile)
  return read.kind === 'problem' ? read : judgePair(read.pair, files)
}

export function readPair(
  { certificate, key }: TlsFiles,
  readFile: ReadFile,
): { readonly kind: 'read'; readonly pair: TlsPair } | Problem {
  const certFile = readFile(certificate)
  if (certFile.kind === 'problem') {
    return problem(`--tls-cert (BELLHOP_TLS_CERT): the file ${certificate} ${certFile.problem}.`)
  }
  const keyFile = readFile(key)
  if (keyFile.kind === 'problem') return problem(`--tls-key (BELLHOP_TLS_KEY): the file ${key} ${keyFile.problem}.`)
  return { kind: 'read', pair: { cert: textOf(certFile.bytes), key: textOf(keyFile.bytes) } }
}

export function judgePair(pair: TlsPair, { certificate: certFile, key: keyFile }: TlsFiles): ReadPair | Problem {
  const certificates = certificatesIn(pair.cert)
  const [own] = certificates ?? []
  if (certificates === null || own === undefined) {
    const swapped = pair.cert.includes('PRIVATE KEY-----') ? ' It holds a private key: are the two files swapped?' : ''
    return problem(`--tls-cert (BELLHOP_TLS_CERT): ${certFile} holds no certificate in PEM.${swapped}`)
  }
  if (/BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type: 4,ENCRYPTED/m.test(pair.key)) {
    return problem(
      `--tls-key (BELLHOP_TLS_KEY): the key in ${keyFile} has a password. Write it without: openssl pkey -in ${keyFile} -out NEW-FILE`,
    )
  }
  const privateKey = attempt(() => createPrivateKey(pair.key))
  if (privateKey === null) return problem(`--tls-key (BELLHOP_TLS_KEY): ${keyFile} holds no private key in PEM.`)
  if (!own.checkPrivateKey(privateKey)) {
    return problem(`The key in ${keyFile} does not belong to the certificate in ${certFile}, which has to come first.`)
  }
  // Finds whatever else the listener would refuse, such as a broken chain.
  if (attempt(() => createSecureContext(pair)) === null) {
    return problem(`The certificate in ${certFile} and the key in ${keyFile} cannot be used for TLS.`)
  }
  return {
    kind: 'pair',
    pair,
    validFrom: own.validFromDate.getTime(),
    validTo: own.validToDate.getTime(),
    withoutChain: certificates.length === 1 && own.issuer !== own.subject,
  }
}

/** PEM is ASCII. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

function certificatesIn(text: string): readonly X509Certificate[] | null {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? []
  return attempt(() => blocks.map((block) => new X509Certificate(block)))
}

/** `null`: OpenSSL refuses; its messages do not help operators. */
function attempt<Value>(parse: () => Value): Value | null {
  try {
    return parse()
  } catch {
    return null
  }
}
