import { rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { afterTests } from '../../testing/close-after-tests.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { readFaq } from './read-faq.ts'
import { readShopFile } from './read-shop-file.ts'

const folder = temporaryFolder()
const known = ['examples', 'add', 'market-data', 'get_bars']
const write = (name: string, content: string | Buffer) => writeFile(join(folder, name), content)
const read = async (yaml: string) => {
  await write('shop.yaml', yaml)
  return readShopFile(join(folder, 'shop.yaml'), known)
}
/** The message without the path of the test's folder. */
const problem = (yaml: string): Promise<string> =>
  read(yaml).then(
    () => 'accepted',
    (error: Error) => error.message.replaceAll(`${folder}/`, ''),
  )
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'
beforeEach(() => write('logo.svg', SVG))
beforeAll(async () => {
  const outside = temporaryFolder()
  await writeFile(join(outside, 'secret.md'), 'secret')
  await symlink(join(outside, 'secret.md'), join(folder, 'link.md'))
  await writeFile(join(folder, '../outside.md'), 'secret')
  afterTests(() => rm(join(folder, '../outside.md')))
})

test('a whole file is read, with its logos and pages', async () => {
  await write('dark.svg', SVG.replace('M0', 'M1'))
  await write('terms.md', '# Terms\n<b>bold</b>')
  const { stored, assets } = await read(`
name: Northwind Weather
promise: Forecasts by the call.
accent: "#A03A00"
logo: logo.svg
logo_dark: dark.svg
support: help@northwind.example
sender: mail@northwind.example
seller:
  name: Northwind GmbH
  address: [Hafenstr. 1, 20095 Hamburg]
  tax_id: DE123456789
currency: usd
time_zone: Europe/Berlin
key_prefix: nw_
builtins: [examples, get_bars]
powered_by: off
pages: { terms: terms.md }
`)
  expect(stored).toMatchObject({
    name: 'Northwind Weather',
    promise: 'Forecasts by the call.',
    accent: { light: '#a03a00' },
    logo: { type: 'image/svg+xml' },
    drawn: false,
    seller: { name: 'Northwind GmbH', address: ['Hafenstr. 1', '20095 Hamburg'], tax_id: 'DE123456789' },
    key_prefix: 'nw_',
    builtins: ['examples', 'get_bars'],
    powered_by: false,
    pages: { terms: '# Terms\n<b>bold</b>' },
  })
  const [card] = assets.splice(2)
  expect(assets.map(({ body }) => body.toString())).toEqual([SVG, SVG.replace('M0', 'M1')])
  expect(stored.card).toEqual({ hash: card!.hash, type: 'image/png' })
})

test('a name is enough: the mark is then its first letter', async () => {
  const { stored, assets } = await read('name: örtliches Wetter')
  expect(stored).toMatchObject({ drawn: true, key_prefix: 'fm_', powered_by: true })
  expect(stored).not.toHaveProperty('builtins')
  expect(assets[0]?.body.toString()).toContain('>Ö</text>')
})

describe('what is refused, and what the sentence says', () => {
  it.each([
    ['', 'shop.yaml is empty. It needs at least a name: "name: Northwind Weather".'],
    ['promise: Weather', 'shop.yaml:1: name is missing'],
    [`name: ${'N'.repeat(300)}`, 'shop.yaml:1: name: has 300 characters, and may have 60'],
    ['name: "North\\u202Ewind"', 'shop.yaml:1: name: has control characters, line breaks or hidden characters'],
    ['name: "North\\nwind"', 'shop.yaml:1: name: has control characters'],
    ['name: "North\\u0007wind"', 'shop.yaml:1: name: has control characters'],
    ['name: <b>Northwind</b>', 'name: must not have any of < > " \\ `'],
    ['name: [Northwind', 'shop.yaml:1:'],
    ['name: N\nlogo: "logo.sv', 'The file may be half-written.'],
    ['name: N\ncolour: red', 'shop.yaml:2: colour is not a key of shop.yaml. The keys are: name, promise, accent'],
    [
      'name: N\naccent: "#ffd400"',
      'shop.yaml:2: accent: #ffd400 has a contrast of 1.28 on #f1f3f5, a light surface, where text needs 4.5 (WCAG AA): choose a darker color',
    ],
    ['name: N\naccent: { light: "#0b6d89", dark: "#0b6d89" }', 'accent.dark: #0b6d89 has a contrast of 2.95 on'],
    ['name: N\naccent: #0b6d89', 'accent: must be a color such as "#0b6d89", in quotes'],
    ['name: N\naccent: teal', 'accent: must be a color such as "#0b6d89"'],
    ['name: N\nsupport: nobody', 'shop.yaml:2: support: must be an email address'],
    ['name: N\ncurrency: EUR', 'currency: must be the code of a currency in lower case, such as usd or eur'],
    ['name: N\ncurrency: abc', 'currency: must be the code of a currency in lower case, such as usd or eur'],
    ['name: N\ntime_zone: Mars/Base', 'time_zone: must be a time zone such as Europe/Berlin or UTC'],
    ['name: N\nkey_prefix: NW', 'key_prefix: must be two to four small letters and an underscore, such as nw_'],
    ['name: N\nkey_prefix: fms_', 'key_prefix: fms_ begins secrets of another kind: choose another prefix'],
    ['name: N\nbuiltins: [get_bar]', 'builtins: get_bar is no group or tool. There are: examples, add'],
    ['name: N\npowered_by: maybe', 'powered_by: must be on or off'],
    ['name: N\nlogo: none.svg', 'shop.yaml:2: logo: there is no file none.svg'],
    ['name: N\nlogo_dark: logo.svg', 'logo_dark: set logo, too'],
    ['name: N\npages: { terms: none.md }', 'pages.terms: There is no file none.md.'],
    ['name: "North\\ud800wind"', 'shop.yaml:1: name: has control characters'],
    ['name: "..."', 'shop.yaml:1: name: must have a letter or a digit'],
    ['name: 2024', 'shop.yaml:1: name: must be a text: put it in quotes'],
    [
      'name: N\nsender: "a@northwind.example\\r\\nBcc: b@evil.example"',
      'shop.yaml:2: sender: must be an email address',
    ],
    ['name: N\nsupport: "a@northwind.example?bcc=b@evil.example"', 'shop.yaml:2: support: must be an email address'],
    ['name: N\nbuiltins: []', 'builtins: is an empty list: write off'],
    ['name: N\n__proto__: { builtins: off }', '__proto__ is not a key of shop.yaml'],
    ['name: N\n---\nname: M', 'shop.yaml:2: There is more than one document: remove everything from --- on.'],
    ['['.repeat(50_000), 'It is nested too deeply.'],
    ['a: &a [x, x]\nb: &b [*a, *a]\nname: N', 'shop.yaml uses YAML aliases (*name): write each value out.'],
    ['name: N\npages: { terms: ../outside.md }', 'lies outside of the folder of shop.yaml, and everything named here'],
    ['name: N\npages: { terms: /etc/hostname }', '/etc/hostname lies outside of the folder of shop.yaml'],
    ['name: N\npages: { terms: link.md }', 'link.md lies outside of the folder of shop.yaml'],
    ['name: N\nlogo: link.md', 'shop.yaml:2: logo: link.md lies outside of the folder of shop.yaml'],
    ['name: N\nseller: Northwind GmbH', 'shop.yaml:2: seller: '],
    ['name: N\nseller: { address: [A] }', 'shop.yaml:2: seller.name is missing'],
    ['name: N\nseller: { name: S }', 'seller.address: must be a list of lines'],
    ['name: N\nseller: { name: S, address: A }', 'seller.address: must be a list of lines'],
    ['name: N\nseller: { name: S, address: [] }', 'seller.address: needs at least one line'],
    ['name: N\nseller: { name: S, address: [A, B, C, D, E, F, G] }', 'seller.address: may have 6 lines'],
    ['name: N\nseller: { name: S, address: ["A\\nB"] }', 'seller.address.0: has control characters, line breaks'],
    ['name: N\nseller: { name: "S\\u0007", address: [A] }', 'seller.name: has control characters'],
    [
      `name: N\nseller: { name: ${'S'.repeat(101)}, address: [A] }`,
      'seller.name: has 101 characters, and may have 100',
    ],
    ['name: N\nseller: { name: S, address: [A], tax_id: 123 }', 'seller.tax_id: must be a text: put it in quotes'],
    ['name: N\nseller: { name: S, address: [A], vat: X }', 'seller.vat is not a key of shop.yaml'],
    ['name: &a [*a]', 'shop.yaml uses YAML aliases (*name): write each value out.'],
  ])('%j', async (yaml, expected) => {
    expect(await problem(yaml)).toContain(expected)
  })

  const svg = (inside: string, attributes = '') =>
    `<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${inside}</svg>`
  it.each([
    ['a script', svg('<script>alert(1)</script>'), 'it contains <script>'],
    ['an event handler', svg('', ' onload="alert(1)"'), 'it contains the event handler onload'],
    ['an event handler in other letters', svg('<path oNcLick="a()"/>'), 'event handler oNcLick'],
    ['a page inside', svg('<foreignObject><p>x</p></foreignObject>'), 'it contains <foreignObject>'],
    ['a picture elsewhere', svg('<image href="https://evil.example/x.png"/>'), 'it contains <image>'],
    ['a shape elsewhere', svg('<use href="https://evil.example/x.svg#a"/>'), 'href refers to something outside'],
    ['a link that runs', svg('<use xlink:href="&#106;avascript:alert(1)"/>'), 'refers to something outside'],
    [
      'a style from elsewhere',
      svg('<style>@import "https://evil.example/x.css";</style>'),
      'its styles load something',
    ],
    ['a style with escapes', svg('<style>p{fill:u\\72l(x)}</style>'), 'hide it with escapes'],
    ['a fill from elsewhere', svg('<path fill="url(https://evil.example/#a)"/>'), 'fill loads something'],
    ['an entity', `<!DOCTYPE svg [<!ENTITY x "y">]>${svg('')}`, 'it is not an SVG drawing'],
    ['a DOCTYPE inside', svg('<!DOCTYPE html>'), 'its SVG is not well-formed'],
    ['a style sheet of XML', `<?xml-stylesheet href="https://evil.example/x.css"?>${svg('')}`, 'it is not an SVG'],
    [
      'an animation that sets a link',
      svg('<a><set attributeName="href" to="javascript:alert(1)"/></a>'),
      'it contains <a>',
    ],
    ['a file that ends early', '<svg xmlns="http://www.w3.org/2000/svg"><g><path d="M0', 'not well-formed'],
    ['a file that ends early, after an element', '<svg xmlns="http://www.w3.org/2000/svg"><g>', 'half-written'],
    ['HTML by another name', '<!doctype html><script>alert(1)</script>', 'it is not an SVG drawing'],
    ['a program', '#!/bin/sh\nrm -rf /\n', 'is neither SVG, PNG, JPEG nor WebP'],
    ['a style whose comment hides a rule', svg('<style>@im/**/port "//evil.example/x";</style>'), 'its styles load'],
    ['a picture by image-set', svg('<style>p{mask:image-set("//evil.example/x")}</style>'), 'its styles load'],
    ['a picture by src', svg('<style>p{fill:src("//evil.example/x")}</style>'), 'its styles load something'],
    ['an entity of nobody', svg('<text>&xxe;</text>'), 'it uses an entity'],
    ['an entity in a path', svg('<path d="&xxe;"/>'), 'd uses an entity'],
    ['elements of HTML', '<svg xmlns="http://www.w3.org/1999/xhtml"><style>p{}</style></svg>', 'of another kind'],
    ['another base', svg('', ' xml:base="https://evil.example/"'), 'xml:base loads something'],
    ['a script as CDATA', svg('<![CDATA[<script>alert(1)</script>]]>'), 'not well-formed'],
    ['no namespace', '<svg><path d="M0"/></svg>', 'its <svg> lacks xmlns="http://www.w3.org/2000/svg"'],
    ['copies of copies', svg('<g id="a"><use href="#a"/></g>'.repeat(25)), 'it has more than 24 <use>'],
    [
      'a script that passes for a JPEG',
      Buffer.from('\xff\xd8\xff<script>alert(1)</script>', 'latin1'),
      'ends early, or has',
    ],
    ['a script that passes for a WebP', 'RIFF0000WEBP<script>alert(1)</script>', 'ends early, or has something'],
    ['a PNG with something behind it', Buffer.concat([PNG, Buffer.from('<script>')]), 'is a PNG that ends early'],
    ['a PNG that ends early', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'is a PNG that ends early'],
  ])('a logo with %s', async (_what, content, expected) => {
    await write('bad.svg', content)
    const said = await problem('name: N\nlogo: bad.svg')
    expect(said).toContain('shop.yaml:2: logo: ')
    expect(said).toContain(expected)
  })

  test('a drawing of what editors write is accepted', async () => {
    const drawn = `<?xml version="1.0"?>\n<!-- Made by hand -->\n${svg('<title>A &amp; B</title><style>@media print{p{fill:red}}</style><use href="#a"/>')}\n`
    await write('good.svg', drawn)
    expect(await problem('name: N\nlogo: good.svg')).toBe('accepted')
    await write('good.png', PNG)
    expect(await problem('name: N\nlogo: good.png')).toBe('accepted')
  })

  test.each([
    ['comments', '<!-- --> '.repeat(28_000)],
    ['beginnings of comments', '<!--'.repeat(60_000)],
    ['attributes', svg(`<path ${'a="b" '.repeat(40_000)}!`)],
    ['spaces', svg(`<path${' '.repeat(200_000)}!`)],
  ])('many %s cost less than a second of the processor', async (_what, content) => {
    await write('many.svg', content)
    const before = process.threadCpuUsage()
    expect(await problem('name: N\nlogo: many.svg')).toContain('shop.yaml:2: logo: ')
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(1_000)
  })

  test('a logo of 40 MB, without reading it', async () => {
    await write('big.png', '')
    await truncate(join(folder, 'big.png'), 40 * 2 ** 20)
    expect(await problem('name: N\nlogo: big.png')).toContain('has 40,960 KiB, and a logo at most 256')
  })

  test('a folder', async () => {
    expect(await problem('name: N\nlogo: .')).toContain('is not a file')
  })
})

describe('a FAQ', () => {
  const faq = async (markdown: string) => {
    await write('faq.md', markdown)
    return problem('name: N\npages: { faq: faq.md }')
  }
  const HOW = 'Write "## Billing" above a group, and "### A question?" above its answer'

  it('has a heading above questions, and an answer below each', async () => {
    const whole =
      '# FAQ\n\n## Weather\n### How far?\nTen days.\n\n#### Why?\n```\n## no heading\n```\n## More ##\n### What else?\n- A\n'
    expect(await faq(whole)).toBe('accepted')
    expect(readFaq(whole)).toEqual([
      {
        name: 'Weather',
        questions: [{ question: 'How far?', answer: 'Ten days.\n\n#### Why?\n```\n## no heading\n```' }],
      },
      { name: 'More', questions: [{ question: 'What else?', answer: '- A' }] },
    ])
  })

  test.each([
    ['', `has no questions. ${HOW}`],
    ['# FAQ\n', `has no questions. ${HOW}`],
    ['We answer.\n## A\n', `line 1: this text belongs to no question. ${HOW}`],
    ['### How?\nSo.\n', 'line 1: a question needs a heading such as "## Billing" above it'],
    ['## A\n\n### How?\n\n### Why?\nSo.\n', 'line 3: "How?" has no answer: write it below the question'],
    ['## A\n### How?\nSo.\n### How?\nSo.\n', 'line 4: "How?" is asked twice'],
    ['## A\n## B\n### How?\nSo.\n', 'line 2: "A" has no questions before it'],
    ['## A\n### How?\nSo.\n## B\n', '"B" has no questions below it'],
  ])('%j is refused', async (markdown, message) => {
    expect(await faq(markdown)).toBe(
      `shop.yaml does not describe a shop:\n- shop.yaml:2: pages.faq: faq.md: ${message}`,
    )
  })
})
