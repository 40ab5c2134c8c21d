import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMailbox } from './mailbox.ts'
import { registerSandboxMail } from './register.ts'

const raw = [
  'From: Finmeter <a@example.com>',
  'To: ada@example.com',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?= =?UTF-8?B?IDxzY3JpcHQ+?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/alternative;',
  ' boundary="x1"',
  '',
  '--x1',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'caf=C3=A9 =',
  'au lait',
  '--x1',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('<html><head></head><body><a href="https://example.com/x">é</a></body></html>').toString('base64'),
  '--x1--',
  '',
].join('\r\n')

const mailbox = createMailbox()
let app: FastifyInstance

beforeAll(async () => {
  mailbox.add(Buffer.from(raw), ['Ada@example.com'])
  app = Fastify()
  await registerSandboxMail(app, { mailbox, publicUrl: 'http://localhost:3000' })
})
afterAll(() => app.close())

const get = (url: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  app.inject({ url, headers: { host: 'localhost:3000', ...headers }, remoteAddress })

describe('the mailbox', () => {
  it('reads encoded words, quoted-printable and base64', async () => {
    const { messages } = (await get('/sandbox/mail/messages?to=ada@EXAMPLE.com')).json()
    expect(messages).toEqual([
      expect.objectContaining({
        subject: 'Grüße <script>',
        text: 'café au lait',
        html: '<html><head></head><body><a href="https://example.com/x">é</a></body></html>',
        recipients: ['ada@example.com'],
      }),
    ])
    expect((await get('/sandbox/mail/messages?to=bo@example.com')).json()).toEqual({ messages: [] })
  })

  it('lists and shows mails, with their markup inert', async () => {
    const list = await get('/sandbox/mail/')
    expect(list.body).toContain('Grüße &lt;script&gt;')
    const page = await get(/href="(\/sandbox\/mail\/[0-9a-f-]+)"/.exec(list.body)![1]!)
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.body).toContain('sandbox="allow-top-navigation-by-user-activation"')
    expect(page.body).not.toContain('<script>')
  })

  it('says when it is empty or a mail is missing', async () => {
    expect((await get('/sandbox/mail/?to=bo@example.com')).body).toContain('No mail for bo@example.com yet.')
    expect((await get('/sandbox/mail/00000000-0000-4000-8000-000000000000')).statusCode).toBe(404)
  })

  it('answers only this machine, and only under its own host names', async () => {
    expect((await get('/sandbox/mail/messages', {}, '10.0.0.9')).statusCode).toBe(403)
    expect((await get('/sandbox/mail/messages', { host: 'rebound.example:3000' })).statusCode).toBe(403)
    expect((await get('/sandbox/mail/messages', { host: '127.0.0.1:3000' })).statusCode).toBe(200)
  })
})
