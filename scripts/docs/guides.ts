import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SourcePage } from './site-page.ts'

/** The guides in order: each file begins with `title`, `description`, `order` and perhaps `names` between two lines of dashes. */
export function readGuides(dir: string): SourcePage[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({ name, ...frontMatter(readFileSync(join(dir, name), 'utf8'), name) }))
    .sort((a, b) => a.order - b.order)
    .map(({ name, title, description, names, markdown }) => ({
      path: `/docs/${name.slice(0, -'.md'.length)}`,
      title,
      description,
      group: 'Guides',
      label: title,
      names,
      markdown,
    }))
}

function frontMatter(text: string, name: string) {
  const [, head, markdown] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? []
  const fields = Object.fromEntries([...(head ?? '').matchAll(/^(\w+): (.*)$/gm)].map(([, key, value]) => [key, value]))
  const { title, description, order, names } = fields as Record<string, string | undefined>
  if (!title || !description || !order || markdown === undefined)
    throw new Error(`${name} must begin with title, description and order`)
  return { title, description, order: Number(order), names, markdown: markdown.trim() }
}
