import { expect, test } from 'vitest'
import { renderMarkdown } from './markdown.ts'
import { codeSpan, plainLine } from './plain-text.ts'
import { schemaText } from './schema-text.ts'
import { cell } from './tool-page.ts'

const noOperation = () => {
  throw new Error('no request')
}

test.each([
  'a|<img src=x onerror=alert(1)>',
  'a\\|<img src=x onerror=alert(1)>',
  'a\\\\|<img src=x onerror=alert(1)>',
  'a`\\|<img src=x onerror=alert(1)>',
  'a\\|`<img src=x onerror=alert(1)>`|\\',
])('a name of others stays inside its cell: %s', (name) => {
  for (const text of [codeSpan(name), plainLine(name)]) {
    const { html } = renderMarkdown(`| Name |\n| --- |\n| ${cell(text)} |`, (code) => code, noOperation)
    expect(html).not.toContain('<img')
    expect(html.match(/<td>/g)).toHaveLength(1)
    expect(html).toContain('&lt;img')
  }
})

test('a value that is empty does not open the code of the next one', () => {
  const text = schemaText({ type: 'string', enum: ['', '`<img src=x onerror=alert(1)>'] })
  expect(renderMarkdown(text, (code) => code, noOperation).html).not.toContain('<img')
})
