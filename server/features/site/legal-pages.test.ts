import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/harness.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { loadLegalPages } from './legal-pages.ts'

const dir = temporaryFolder()
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(async () => {
  await server?.close()
})

const fromFile = async (markdown: string) => {
  const file = join(dir, 'privacy.md')
  await writeFile(file, markdown)
  return (await loadLegalPages({ PRIVACY_FILE: file, TERMS_FILE: undefined })).privacy
}

test('visitors see both default pages', async () => {
  for (const [page, title] of [
    ['privacy', 'Privacy Policy'],
    ['terms', 'Terms of Service'],
  ]) {
    const reply = await fetch(`${server.url}/api/public/legal/${page}`)
    expect(reply.status).toBe(200)
    const { data } = (await reply.json()) as { data: { title: string; html: string } }
    expect(data.title).toBe(title)
    expect(data.html).toContain('<h2>')
    expect(data.html).not.toContain('<h1>')
    expect(data.html).toMatch(/^\s*<p><em>Last updated: [A-Z][a-z]+ \d{1,2}, \d{4}<\/em><\/p>/)
    expect(data.html).toContain(page === 'terms' ? 'href="/legal/privacy"' : 'href="/legal/terms"')
  }
})

test('there are no other pages: an imprint only in a shop that has one', async () => {
  for (const [page, status, code] of [
    ['imprint', 404, 'not_found'],
    ['cookies', 400, 'invalid_parameter'],
  ] as const) {
    const reply = await fetch(`${server.url}/api/public/legal/${page}`)
    expect(reply.status).toBe(status)
    expect(await reply.json()).toMatchObject({ success: false, code })
  }
})

test("an operator's file replaces the default one", async () => {
  expect(await fromFile('# Our rules\n\nBe **kind**.')).toEqual({
    page: 'privacy',
    title: 'Our rules',
    html: '\n<p>Be <strong>kind</strong>.</p>\n'.trimStart(),
  })
  expect((await fromFile('No heading')).title).toBe('Privacy Policy')
})

test('a text file cannot run code', async () => {
  const { html } = await fromFile(
    '# x\n\n<script>alert(1)</script>\n\n[a](javascript:alert(1)) [b](//evil.example) [c](/docs) <img src=x onerror=y>',
  )
  expect(html).not.toMatch(/<script|<img|javascript:|evil\.example"/)
  expect(html).toContain('<a href="/docs">c</a>')
})

test('a missing file stops the start and is named', async () => {
  await expect(loadLegalPages({ PRIVACY_FILE: join(dir, 'none.md'), TERMS_FILE: undefined })).rejects.toThrow(
    /PRIVACY_FILE is not valid: .*none\.md cannot be read \(ENOENT\)/,
  )
})
