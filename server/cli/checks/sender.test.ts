import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { afterTests } from '../../testing/close-after-tests.ts'
import { createReport } from './report.ts'
import { checkSender } from './sender.ts'

// A DNS server on this machine: TXT records by name; a missing name is NXDOMAIN, `silent` answers nothing.
let records: Record<string, string[]>
let silent = false
let asked = 0
let port: number
const socket = createSocket('udp4')
beforeAll(async () => {
  socket.on('message', (question, { port, address }) => {
    asked++
    if (!silent) socket.send(answerTo(question), port, address)
  })
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  port = (socket.address() as AddressInfo).port
  afterTests(() => socket.close())
})
beforeEach(() => {
  silent = false
})

function answerTo(question: Buffer): Buffer {
  const labels: string[] = []
  let at = 12
  for (; question[at] !== 0; at += question[at]! + 1)
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!))
  const name = question.subarray(12, at + 5)
  const found = records[labels.join('.').toLowerCase()]
  const header = Buffer.alloc(12)
  question.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (found ? 0 : 3), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(found?.length ?? 0, 6)
  const answers = (found ?? []).map((text) => {
    // Long texts are sent in parts of at most 255 bytes.
    const parts = (text.match(/.{1,255}/g) ?? ['']).map((part) =>
      Buffer.concat([Buffer.from([part.length]), Buffer.from(part)]),
    )
    const data = Buffer.concat(parts)
    const head = Buffer.from('c00c00100001000000000000', 'hex')
    head.writeUInt16BE(data.length, 10)
    return Buffer.concat([head, data])
  })
  return Buffer.concat([header, name, ...answers])
}

async function check(address: string, selector?: string) {
  const lines: string[] = []
  const resolver = new Resolver({ timeout: silent ? 300 : 60_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${port}`])
  await checkSender(
    { address, selector },
    createReport((line) => lines.push(line)),
    resolver,
  )
  return lines
}
const spf = 'v=spf1 include:mail.northwind.io -all'
const key = `v=DKIM1; k=rsa; p=${'MIIB'.repeat(100)}`

test('a domain with all three is ok; its DMARC may be that of the domain above', async () => {
  records = {
    'mail.northwind.io': ['other', spf],
    's1._domainkey.mail.northwind.io': [key],
    '_dmarc.northwind.io': ['v=DMARC1; p=reject'],
  }
  expect(await check('hello@mail.northwind.io', 's1')).toEqual([
    'ok     SPF of mail.northwind.io',
    'ok     DKIM of mail.northwind.io',
    'ok     DMARC of mail.northwind.io',
  ])
})

test('each that is missing is a sentence that says what to add', async () => {
  records = { 'northwind.io': ['v=spf10 no', 'google-site-verification=x'] }
  expect(await check('hello@northwind.io', 's1')).toEqual([
    'WRONG  northwind.io has no SPF record, so its mails are taken for forged ones: add a TXT record that names your mail server, such as "v=spf1 include:mail.example.com -all"',
    'WRONG  There is no DKIM key at s1._domainkey.northwind.io: add the TXT record that your mail provider shows',
    'WRONG  northwind.io has no DMARC record, which large mail providers require: add the TXT record _dmarc.northwind.io with "v=DMARC1; p=none"',
  ])
})

test('without a selector DKIM is a note', async () => {
  records = { 'northwind.io': [spf], '_dmarc.northwind.io': ['v=DMARC1; p=none'] }
  expect(await check('hello@northwind.io')).toEqual([
    'ok     SPF of northwind.io',
    'note   DKIM of northwind.io is not checked: set MAIL_DKIM_SELECTOR to the selector of your mail provider',
    'ok     DMARC of northwind.io',
  ])
})

test('records that cancel or open what they say', async () => {
  records = {
    'northwind.io': [spf, 'v=spf1 -all'],
    's1._domainkey.northwind.io': ['v=DKIM1; p='],
    '_dmarc.northwind.io': ['v=DMARC1; p=none', 'v=DMARC1; p=reject'],
  }
  expect(await check('hello@northwind.io', 's1')).toEqual([
    'WRONG  northwind.io has 2 SPF records, so none counts: make one of them',
    'WRONG  The DKIM key at s1._domainkey.northwind.io is revoked: add the current one',
    'WRONG  northwind.io has 2 DMARC records, so none counts: leave one',
  ])
  records['northwind.io'] = ['v=spf1 +all']
  expect((await check('hello@northwind.io'))[0]).toBe(
    'WRONG  The SPF record of northwind.io ends with "all", which lets anybody send in its name: write -all',
  )
})

test('a DNS server that is silent is asked once for each record, and is no failure', async () => {
  silent = true
  asked = 0
  expect(await check('hello@northwind.io', 's1')).toEqual([
    'note   DNS could not be asked about northwind.io (ETIMEOUT): SPF, DKIM and DMARC of the sender are not checked',
  ])
  // A question may still be on its way.
  await expect.poll(() => asked).toBe(3)
})

test('nobody is asked about domains that exist nowhere', async () => {
  records = {}
  for (const address of ['a@example.com', 'a@mail.northwind.example', 'a@localhost', 'a@shop.test'])
    expect(await check(address)).toEqual([])
})
