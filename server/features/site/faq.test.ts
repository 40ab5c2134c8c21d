import { expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer } from '../../testing/harness.ts'
import { applyShop } from '../shop/apply.ts'
import { shopOf } from '../shop/testing/northwind.ts'

const server = await closeAfterTests(startTestServer())
const text = async (path: string) => (await fetch(server.url + path)).text()
const questions = async () => JSON.parse(await text('/api/public/faq')) as { data: { categories: unknown } }
const apply = async (pages: Record<string, string>) => {
  const shop = shopOf('North')
  await applyShop(server.db.kysely, { ...shop, stored: { ...shop.stored, pages } })
  await server.deps.shop.look()
}

test('an installation has the questions of the product, a named shop only those that are true of it', async () => {
  expect(await questions()).toMatchObject({ data: { categories: null } })
  const ours = ['responds within 1 hour', '30-day money-back guarantee', 'It is open source']
  const pages = ['/docs/faq', '/docs/faq.md']
  for (const page of pages) for (const fact of ours) expect(await text(page)).toContain(fact)
  await apply({})
  for (const page of pages) {
    const faq = await text(page)
    for (const fact of ours) expect(faq).not.toContain(fact)
    expect(faq).toContain('Errors are free')
  }
  for (const page of ['/docs/pricing', '/docs/pricing.md']) {
    const pricing = await text(page)
    expect(pricing).not.toMatch(/30-day|1 hour|Enterprise/)
    // Of the plan, which the demonstration's catalog has.
    expect(pricing).toContain('14-day free trial')
  }
})

test('a shop’s own questions replace them: on the page, as Markdown and for the application', async () => {
  await apply({ faq: '# FAQ\n\n## Weather\n\n### How far?\n\n**Ten** days, <b>at [most](/docs)</b>.\n' })
  const page = await text('/docs/faq')
  expect(page).toContain('<strong>Ten</strong> days, &lt;b&gt;at <a href="/docs">most</a>&lt;/b&gt;.')
  expect(page).toContain('1 of 1 questions')
  expect(page).not.toContain('What is a credit?')
  const markdown = await text('/docs/faq.md')
  expect(markdown).toContain('## Weather\n\n### How far?\n\n**Ten** days')
  expect(markdown).not.toContain('What is a credit?')
  expect(await questions()).toMatchObject({
    data: { categories: [{ name: 'Weather', questions: [{ question: 'How far?' }] }] },
  })
})
