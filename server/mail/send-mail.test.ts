import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type SandboxMail, startSandboxMail } from '#sandbox/mail/start-mail.ts'
import { createListener, type Listener } from '../db/listen.ts'
import { unnamedShop } from '../features/shop/shop.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { createTestDatabase, type TestDatabase, testConfig } from '../testing/harness.ts'
import { createMailer, type Mailer } from './send-mail.ts'

let database: TestDatabase
let peer: SandboxMail
let listener: Listener
let mailer: Mailer
let logged: string[]

const start = (
  smtpUrl: string | null,
  sender: Record<string, string> = { MAIL_FROM: 'Finmeter <hello@finmeter.example>' },
): Mailer => {
  const config = testConfig(database.url, 1, sender)
  return createMailer({
    config,
    shop: { current: () => unnamedShop(config) },
    sandboxSmtpUrl: smtpUrl,
    db: database.db,
    listener,
    secrets: createSecrets('ab'.repeat(32)),
    log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
  })
}

beforeEach(async () => {
  logged = []
  database = await createTestDatabase()
  peer = await startSandboxMail()
  listener = await createListener(database.url, pino({ level: 'silent' }))
  mailer = start(peer.smtpUrl)
})
afterEach(async () => {
  await mailer.close()
  await listener.close()
  await peer.close()
  await database.drop()
})

const content = {
  workspace: 'Engines & Co',
  heading: 'Grüße <b>',
  paragraphs: ['Zeile mit = und einem sehr langen Wort '.repeat(6)],
  code: '123456',
  action: { label: 'Open', url: 'https://example.com/?a=1&b="2"' },
  note: 'Because of a test.',
}
const mail = (to: string) => ({ to, kind: 'test', subject: 'Ein Gruß, 100 € & mehr', ...content })
const waiting = async () => (await database.db.pool.query('select attempts from mail_outbox')).rows

describe('sendMail', () => {
  it('delivers complete text and HTML with the same content, and empties the outbox', async () => {
    await mailer.send(database.db.kysely, mail('ada@example.com'))
    const [received] = await vi.waitUntil(
      () => peer.mailbox.list('ada@example.com').length > 0 && peer.mailbox.list(),
      {
        timeout: 120_000,
      },
    )
    expect(received).toMatchObject({
      from: 'Finmeter <hello@finmeter.example>',
      to: 'ada@example.com',
      subject: 'Ein Gruß, 100 € & mehr',
      recipients: ['ada@example.com'],
    })
    expect(received?.text).toContain('Grüße <b>')
    expect(received?.text).toContain('123456')
    expect(received?.text).toContain('https://example.com/?a=1&b="2"')
    expect(received?.html).toContain('Grüße &lt;b&gt;')
    // The product's name comes first in the displayed text.
    expect(received?.html).toMatch(/>Finmeter<span [^>]*> &middot; Engines &amp; Co<\/span><\/p>\s*<h1/)
    expect(received?.html).toMatch(/<img src="http[^"]+\/icon\.png" alt="Finmeter logo"/)
    expect(received?.text).toContain('--\nFinmeter, workspace Engines & Co\n')
    // A link is shown by its label. Its address is readable once: in the last line of the text.
    expect(received?.html).not.toContain('>https://')
    expect(received?.text.trim().split('\n').at(-1)).toBe('https://example.com/?a=1&b="2"')
    expect(received?.text.match(/https:/g)).toHaveLength(1)
    expect(received?.html).toContain('href="https://example.com/?a=1&amp;b=&quot;2&quot;"')
    // Dark mode has its own colors, and one button is the action.
    expect(received?.html).toContain('<meta name="color-scheme" content="light dark">')
    expect(received?.html).toMatch(/@media \(prefers-color-scheme:dark\)\{\.page\{background:#0b0d10!important/)
    expect(received?.html.match(/<a /g)).toHaveLength(1)
    await vi.waitUntil(async () => (await waiting()).length === 0, { timeout: 120_000 })
  })

  it('comes from Finmeter if the operator set only an address', async () => {
    await mailer.close()
    mailer = start(peer.smtpUrl, { SUPPORT_EMAIL: 'help@acme.example' })
    await mailer.send(database.db.kysely, mail('ada@example.com'))
    await vi.waitUntil(() => peer.mailbox.list('ada@example.com').length > 0, { timeout: 120_000 })
    expect(peer.mailbox.list()[0]?.from).toBe('Finmeter <help@acme.example>')
  })

  it('sends nothing for a transaction that was rolled back', async () => {
    await database.db.kysely
      .transaction()
      .execute(async (tx) => {
        await mailer.send(tx, mail('undone@example.com'))
        throw new Error('undone')
      })
      .catch(() => {})
    await mailer.send(database.db.kysely, mail('done@example.com'))
    await vi.waitUntil(() => peer.mailbox.list('done@example.com').length > 0, { timeout: 120_000 })
    expect(peer.mailbox.list('undone@example.com')).toEqual([])
  })

  it('retries a mail after a temporary failure, and drops it after a permanent one', async () => {
    await mailer.send(database.db.kysely, mail('later@busy.example'))
    await mailer.send(database.db.kysely, mail('nobody@refused.example'))
    await vi.waitUntil(() => logged.length === 2, { timeout: 120_000 })
    await vi.waitUntil(async () => (await waiting()).length === 1, { timeout: 120_000 })
    expect(await waiting()).toEqual([{ attempts: 1 }])
    expect(logged.join('')).not.toContain('example')
    const noted = `select recipient, kind, state, attempts, error from mail_log order by recipient`
    // It is noted after it is logged.
    await expect
      .poll(async () => (await database.db.pool.query(noted)).rows)
      .toEqual([
        { recipient: 'later@busy.example', kind: 'test', state: 'waiting', attempts: 1, error: 'EENVELOPE 451' },
        { recipient: 'nobody@refused.example', kind: 'test', state: 'failed', attempts: 1, error: 'EENVELOPE 550' },
      ])
  })

  it('notes what became of a mail, sent or expired, and nothing of its text', async () => {
    await mailer.close()
    await mailer.send(database.db.kysely, mail('Late@example.com'))
    await database.db.pool.query(`update mail_outbox set expires_at = app_now()`)
    mailer = start(peer.smtpUrl)
    await mailer.send(database.db.kysely, mail('soon@example.com'))
    const noted = async () => (await database.db.pool.query('select m.*, m::text as row from mail_log m')).rows
    await vi.waitUntil(async () => (await noted()).every(({ state }) => state !== 'waiting'), { timeout: 120_000 })
    const found = (await noted()).sort((a, b) => (a.recipient < b.recipient ? -1 : 1))
    expect(found.map(({ recipient, state, attempts }) => [recipient, state, attempts])).toEqual([
      ['late@example.com', 'failed', 0],
      ['soon@example.com', 'sent', 1],
    ])
    expect(found.map(({ row }) => row).join()).not.toMatch(/123456|Gruß|https:/)
  })

  it('survives a restart: a queued mail is sent later', async () => {
    await mailer.close()
    await mailer.send(database.db.kysely, mail('patient@example.com'))
    expect(await waiting()).toEqual([{ attempts: 0 }])
    mailer = start(peer.smtpUrl)
    await mailer.send(database.db.kysely, mail('next@example.com'))
    await vi.waitUntil(() => peer.mailbox.list().length === 2, { timeout: 120_000 })
    expect(peer.mailbox.list('patient@example.com')).toHaveLength(1)
  })

  it('is sent once by two instances', async () => {
    const second = start(peer.smtpUrl)
    for (let index = 0; index < 20; index++) await mailer.send(database.db.kysely, mail(`many${index}@example.com`))
    await vi.waitUntil(async () => (await waiting()).length === 0, { timeout: 120_000 })
    expect(new Set(peer.mailbox.list().map(({ to }) => to)).size).toBe(20)
    expect(peer.mailbox.list()).toHaveLength(20)
    await second.close()
  })

  it('keeps nothing readable in the database', async () => {
    await mailer.close()
    await mailer.send(database.db.kysely, mail('secret@example.com'))
    const { rows } = await database.db.pool.query('select message from mail_outbox')
    expect(rows[0].message.toString('latin1')).not.toMatch(/secret@example|123456/)
  })

  it.each(['a@example.com, b@example.com', 'A <a@example.com>', '"a b"@example.com', 'a', 'a@b\r\nBcc: c@d.e'])(
    'refuses the address %j',
    async (to) => {
      await expect(mailer.send(database.db.kysely, mail(to))).rejects.toThrow()
    },
  )

  it('reports a missing mail server', async () => {
    const none = start(null)
    expect(none.enabled).toBe(false)
    await expect(none.send(database.db.kysely, mail('a@example.com'))).rejects.toThrow('set SMTP_URL')
  })
})
