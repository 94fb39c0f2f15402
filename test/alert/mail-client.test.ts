import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readMailUrl } from '../../src/alert/alert.ts'
import { createSendMail } from '../../src/alert/mail-client.ts'
import { systemClock } from '../../src/clock.ts'
import { startMailServer } from '../support/mail-server.ts'
import type { MailServer } from '../support/mail-server.ts'

const MESSAGE = {
  id: 'alr_1',
  title: 'Bellhop push.example.com: disk nearly full',
  text: 'Grüße: the data disk is nearly full.\n',
}

let tls: MailServer
let startTls: MailServer
let plain: MailServer
beforeAll(async () => {
  tls = await startMailServer({ secure: true })
  startTls = await startMailServer()
  plain = await startMailServer({ noTls: true })
})
afterAll(async () => {
  for (const server of [tls, startTls, plain]) await server[Symbol.asyncDispose]()
})

interface Sending {
  readonly url: string
  readonly password?: string | null
  readonly ca?: string | undefined
  readonly allowPrivate?: boolean
  readonly addresses?: readonly string[]
}

async function send({ url, password = 'correct horse', ...given }: Sending): Promise<string | null> {
  const { ca = tls.certificate, allowPrivate = true, addresses = ['127.0.0.1'] } = given
  const route = readMailUrl(`${url}?from=bellhop@shop.test&to=ann@shop.test`)
  if (route === null) throw new Error(`${url} is no URL of mails`)
  const sendMail = createSendMail({ clock: systemClock, ca, allowPrivate, resolve: async () => addresses })
  return sendMail(route, password, MESSAGE)
}

describe('a mail', () => {
  test.each([
    ['TLS', () => tls, 'smtps'],
    ['STARTTLS', () => startTls, 'smtp'],
  ])('goes out over %s, signed in, to a server whose certificate fits the name', async (_, server, scheme) => {
    const { port, mails } = server()
    expect(await send({ url: `${scheme}://bellhop@mail.test:${port}` })).toBeNull()
    expect(mails.at(-1)).toMatchObject({ to: ['ann@shop.test'], user: 'bellhop', isSecure: true })
    expect(mails.at(-1)?.text).toMatch(/^Subject: Bellhop push\.example\.com: disk nearly full\r$/m)
    expect(mails.at(-1)?.text).toMatch(/^From: bellhop@shop\.test\r$/m)
    expect(mails.at(-1)?.text).toMatch(/^Message-ID: <alr_1@shop\.test>\r$/m)
    expect(mails.at(-1)?.text).toContain('Gr=C3=BC=C3=9Fe: the data disk is nearly full.')
  })

  test('is refused with a wrong password, without a word of the server', async () => {
    const why = await send({ url: `smtps://bellhop@mail.test:${tls.port}`, password: 'wrong' })
    expect(why).toBe('SMTP 535: the mail server refuses the user or the password')
  })

  test('does not go to a server with another name or an unknown certificate', async () => {
    const before = tls.mails.length
    expect(await send({ url: `smtps://bellhop@other.test:${tls.port}` })).toMatch(/^ESOCKET|^ETLS|ALTNAME/)
    expect(await send({ url: `smtps://bellhop@mail.test:${tls.port}`, ca: '' })).toMatch(/^ESOCKET|^ETLS/)
    expect(tls.mails).toHaveLength(before)
  })

  test('goes to a private address only if these are allowed, and there also without TLS', async () => {
    expect(await send({ url: `smtp://mail.test:${plain.port}`, allowPrivate: false })).toBe('private address')
    expect(plain.mails).toEqual([])
    expect(await send({ url: `smtp://mail.test:${plain.port}` })).toBeNull()
    expect(plain.mails).toMatchObject([{ isSecure: false, user: null }])
  })

  test('goes to no server of the internet without TLS', async () => {
    // It connects to the first address; any public one demands TLS.
    const addresses = ['127.0.0.1', '8.8.8.8']
    const before = plain.mails.length
    expect(await send({ url: `smtp://mail.test:${plain.port}`, addresses })).toBe('SMTP 500')
    expect(plain.mails).toHaveLength(before)
  })

  test('to nobody fails', async () => {
    expect(await send({ url: 'smtp://mail.test:25', addresses: [] })).toBe('no address')
    expect(await send({ url: 'smtp://mail.test:1' })).toMatch(/^E[A-Z]+/)
  })
})

describe('a URL of mails', () => {
  test('has the usual ports, a user, and both addresses', () => {
    const query = 'from=bellhop@shop.test&to=ann@shop.test'
    const addresses = { from: 'bellhop@shop.test', to: 'ann@shop.test' }
    expect(readMailUrl(`smtps://ann%40shop.test@mail.test?${query}`)).toEqual({
      host: 'mail.test',
      port: 465,
      secure: true,
      user: 'ann@shop.test',
      ...addresses,
    })
    expect(readMailUrl(`smtp://mail.test?${query}`)).toMatchObject({ port: 587, secure: false, user: null })
    expect(readMailUrl(`smtp://[::1]:25?${query}`)).toMatchObject({ host: '::1', port: 25 })
  })

  test.each([
    'smtps://ann:password@mail.test?from=a@b.test&to=c@d.test',
    'https://mail.test?from=a@b.test&to=c@d.test',
    'smtps://mail.test?from=a@b.test',
    'smtps://mail.test?from=a@b.test&to=c@d.test,e@f.test',
    'smtps://mail.test?from=a&to=c@d.test',
    'smtps://%E0%A4%A@mail.test?from=a@b.test&to=c@d.test',
    'mail.test',
  ])('is not %s', (url) => {
    expect(readMailUrl(url)).toBeNull()
  })
})
