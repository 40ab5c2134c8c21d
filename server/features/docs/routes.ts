import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { inlineStyles } from '../site/inline-styles.ts'
import { pagePolicy } from '../site/page-policy.ts'
import { createFillMarks } from './fill-marks.ts'
import { robots, sitemap } from './sitemap.ts'
import { type StoredDocument, sendDocument, storeDocument } from './stored-document.ts'

const docsDir = resolve(import.meta.dirname, '../../../dist/docs')
const webDir = resolve(import.meta.dirname, '../../../dist/web')

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'

/**
 * Serves the documentation that `scripts/build-docs.ts` wrote: each page in both slash forms and as Markdown, its search
 * index, llms.txt, sitemap and robots. A document is filled in and compressed when it is first asked for, then kept.
 */
export async function registerDocs(app: FastifyInstance, deps: Deps): Promise<void> {
  const list = join(docsDir, 'pages.json')
  if (!existsSync(list)) return
  const paths = JSON.parse(readFileSync(list, 'utf8')) as string[]
  const fill = createFillMarks(deps.config)
  const read = (file: string) => readFileSync(join(docsDir, file), 'utf8')

  const serve = (addresses: string[], make: () => StoredDocument) => {
    let stored: StoredDocument | undefined
    for (const address of addresses)
      app.get(address, (request, reply) => {
        stored ??= make()
        return sendDocument(stored, request, reply)
      })
  }
  for (const path of paths) {
    serve([path, `${path}/`], () => {
      const html = inlineStyles(fill(read(`${path}.html`), 'html'), webDir, { preloadFont: true })
      return storeDocument(html, HTML, pagePolicy(html, deps.config))
    })
    serve([`${path}.md`], () => storeDocument(fill(read(`${path}.md`), 'text'), MARKDOWN))
  }
  serve(['/docs/search.json'], () =>
    storeDocument(fill(read('docs/search.json'), 'text'), 'application/json; charset=utf-8'),
  )
  for (const name of ['llms.txt', 'llms-full.txt'])
    serve([`/${name}`], () => storeDocument(fill(read(name), 'text'), TEXT))
  serve(['/sitemap.xml'], () => storeDocument(sitemap(deps.config.PUBLIC_URL, paths), 'application/xml; charset=utf-8'))
  serve(['/robots.txt'], () => storeDocument(robots(deps.config.PUBLIC_URL), TEXT))
}
