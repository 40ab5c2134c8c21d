import { expect, test } from 'vitest'
import { expandTemplate, variablesOf } from './uri-template.ts'

test.each([
  ['dataset://{id}', ['id']],
  ['repo://{owner}/{repo}/contents{/path*}', ['owner', 'repo', 'path']],
  ['search://x{?q,limit}{&q}', ['q', 'limit']],
  ['test://static', []],
])('%s has the variables %j', (template, names) => {
  expect(variablesOf(template)).toEqual(names)
})

const values = { id: 'a b/c', path: 'x/y', q: 'é&', limit: '', owner: 'o' }

test.each([
  ['dataset://{id}', 'dataset://a%20b%2Fc'],
  ['file:///{+path}', 'file:///x/y'],
  ['r://{owner}{/path*}', 'r://o/x%2Fy'],
  ['s://x{?q,limit}', 's://x?q=%C3%A9%26'],
  ['s://x?a=1{&q}{#id}', 's://x?a=1&q=%C3%A9%26#a%20b/c'],
  ['s://{missing}{;owner}{.owner}', 's://;owner=o.o'],
  ['s://{constructor}', 's://'],
])('%s is filled in', (template, uri) => {
  expect(expandTemplate(template, values)).toBe(uri)
})
