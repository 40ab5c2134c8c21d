import { Marked, type Tokens } from 'marked'
import type { Language } from '../../web/features/snippets/languages.ts'
import { fragmentOf } from '../../web/lib/fragment.ts'
import { languagesOf, type OperationOf, parseRequest, type RequestExample, requestSnippet } from './request-example.ts'

export interface Rendered {
  html: string
  headings: { id: string; text: string }[]
}

export type Color = (code: string, language: string) => string

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const names: Record<string, string> = {
  bash: 'Terminal',
  json: 'JSON',
  http: 'HTTP',
  toml: 'TOML',
  yaml: 'YAML',
  typescript: 'TypeScript',
  python: 'Python',
  text: 'Text',
}

/** Markdown of a page (below its title) as HTML, and its second-level headings. A `request` block becomes tabs of the languages. */
export function renderMarkdown(markdown: string, color: Color, operationOf: OperationOf): Rendered {
  const headings: Rendered['headings'] = []
  let blocks = 0
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const inner = this.parser.parseInline(tokens)
        const text = this.parser.parseInline(tokens, this.parser.textRenderer)
        const id = fragmentOf(text)
        if (depth === 2) headings.push({ id, text })
        return `<h${depth} id="${id}"><a href="#${id}">${inner}</a></h${depth}>\n`
      },
      table({ header, rows }: Tokens.Table): string {
        const cell = ({ tokens }: Tokens.TableCell, tag: string) =>
          `<${tag}>${this.parser.parseInline(tokens)}</${tag.split(' ')[0]}>`
        const names = header.map(({ text }) => text)
        // A table without column names is a list of facts: the first cell of each row is its name.
        const facts = names.every((name) => name === '')
        const head = facts ? '' : `<thead><tr>${header.map((one) => cell(one, 'th scope="col"')).join('')}</tr></thead>`
        const body = rows
          .map(
            (row) =>
              `<tr>${row.map((one, index) => cell(one, facts && index === 0 ? 'th scope="row"' : 'td')).join('')}</tr>`,
          )
          .join('')
        const label = facts ? 'Facts' : `Table: ${names.join(', ')}`
        return `<div class="docs-table" role="region" aria-label="${escapeHtml(label)}" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`
      },
      code({ text, lang = 'text' }: Tokens.Code): string {
        blocks += 1
        const [language = 'text', ...title] = lang.split(' ')
        if (language === 'timeline') return timeline(readTimeline(text))
        if (language === 'request') return requestTabs(parseRequest(text), `code-${blocks}`, color, operationOf)
        const name = title.join(' ') || names[language] || language
        return `<figure class="docs-code"><figcaption class="docs-code-bar">${escapeHtml(name)}${copyButton(name)}</figcaption><pre class="scroll-hint" tabindex="0" data-language="${language}"><code>${color(text, language)}</code></pre></figure>\n`
      },
    },
  })
  const html = marked.parse(markdown, { async: false }).replaceAll(lessCommon, folded)
  return { html, headings }
}

/** The heading of a table that is closed at first. */
export const LESS_COMMON = 'Less common'
const lessCommon = /<h3 id="(less-common)">.*?<\/h3>\n(<div class="docs-table"[\s\S]*?<\/div>)/g

const folded = (_: string, id: string, table: string): string =>
  `<details id="${id}" class="docs-more"><summary>${table.split('<tr>').length - 2} less common errors</summary>${table}</details>`

interface Moment {
  title: string
  about: string
}

/** A `timeline` block: a line for each moment, `title: what happens`. */
const readTimeline = (text: string): Moment[] =>
  text.split('\n').map((line) => {
    const end = line.indexOf(': ')
    return { title: line.slice(0, end), about: line.slice(end + 2) }
  })

const timeline = (moments: Moment[]): string =>
  `<ol class="docs-timeline">${moments
    .map(({ title, about }) => `<li><strong>${escapeHtml(title)}</strong><span>${escapeHtml(about)}</span></li>`)
    .join('')}</ol>\n`

const copyButton = (name: string) =>
  `<button type="button" data-copy-code aria-label="Copy ${escapeHtml(name)}">Copy</button>`

const grammar: Record<Language, string> = { curl: 'bash', javascript: 'typescript', python: 'python', cli: 'bash' }

function requestTabs(request: RequestExample, id: string, color: Color, operationOf: OperationOf): string {
  const tabs = languagesOf(request).map(
    ({ language, name }, index) =>
      `<button type="button" role="tab" id="${id}-${language}-tab" data-language="${language}" aria-controls="${id}-${language}" aria-selected="${index === 0}"${index === 0 ? '' : ' tabindex="-1"'}>${name}</button>`,
  )
  const panels = languagesOf(request).map(
    ({ language }, index) =>
      `<pre class="scroll-hint" role="tabpanel" id="${id}-${language}" aria-labelledby="${id}-${language}-tab" tabindex="0" data-language="${language}"${index === 0 ? '' : ' data-off'}><code>${color(requestSnippet(request, language, operationOf), grammar[language])}</code></pre>`,
  )
  return `<div class="docs-code"><div class="docs-code-bar"><div role="tablist" aria-label="Language">${tabs.join('')}</div>${copyButton('the request')}</div>${panels.join('')}</div>\n`
}

/** The page as other programs read it: `request` blocks written out in each language, a `timeline` as a list. */
export function plainMarkdown(markdown: string, operationOf: OperationOf): string {
  const listed = markdown.replaceAll(/^```timeline\n([\s\S]*?)\n```$/gm, (_, text: string) =>
    readTimeline(text)
      .map(({ title, about }, index) => `${index + 1}. **${title}:** ${about}`)
      .join('\n'),
  )
  return listed.replaceAll(/^```request\n([\s\S]*?)\n```$/gm, (_, text: string) => {
    const request = parseRequest(text)
    return languagesOf(request)
      .map(({ language }) => `\`\`\`${grammar[language]}\n${requestSnippet(request, language, operationOf)}\n\`\`\``)
      .join('\n\n')
  })
}
