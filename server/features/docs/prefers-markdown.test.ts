import { expect, test } from 'vitest'
import { prefersMarkdown } from './prefers-markdown.ts'

test.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', false],
  ['text/html,application/xhtml+xml,*/*;q=0.8', false],
  ['text/markdown', true],
  ['Text/Markdown; charset=utf-8', true],
  ['text/markdown, text/html, */*', true],
  ['text/markdown;q=0.5, text/html', false],
  ['text/markdown;q=0.9, text/html;q=0.8', true],
  ['text/html;q=0, text/markdown;q=0.1', true],
  ['text/markdown;q=0', false],
  ['text/markdown;q=0.4, */*', false],
  ['text/markdown, */*;q=0.1', true],
  ['text/markdown;q=nonsense', false],
])('%j: %s', (accept, markdown) => {
  expect(prefersMarkdown(accept)).toBe(markdown)
})
