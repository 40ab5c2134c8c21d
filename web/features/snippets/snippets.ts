import type { HttpLanguage } from './languages.ts'
import { pythonLiteral } from './python-literal.ts'

/** The first call: a month of oil prices, which are open data: they are also there without the demonstration prices. */
export const firstCallPath = '/v1/series/OIL.WTI?range=1mo'
/**
 * The same request in each language, without packages, complete and runnable: a shell, Node 20, or Python 3. A GET, or a
 * POST of JSON if there is a `body`, unless `method` says otherwise. The JavaScript is also valid TypeScript.
 */
export function snippet(
  language: HttpLanguage,
  url: string,
  key: string,
  body?: unknown,
  { method = '', headers }: RequestParts = {},
): string {
  const more = Object.entries({ ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers })
  if (language === 'curl') return curl(url, key, body, method, more)
  const pairs = more.map((pair) => `, ${pair.map((text) => JSON.stringify(text)).join(': ')}`).join('')
  return language === 'python' ? python(url, key, body, method, pairs) : javascript(url, key, body, method, pairs)
}

/** What a request has besides its URL and body. */
export interface RequestParts {
  /** Only if it is not the one that follows from the body. */
  method?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

function curl(url: string, key: string, body: unknown, method: string, headers: [string, string][]): string {
  const lines = [`curl ${method && `-X ${method} `}"${url}"`, `-H "Authorization: Bearer ${key}"`]
  // What could end the quotes, or expand, is left out.
  for (const [name, value] of headers) lines.push(`-H "${name}: ${value.replaceAll(/["\\%!$`\r\n]/g, '')}"`)
  if (body !== undefined) lines.push(`-d '${shellJson(body)}'`)
  return lines.join(' \\\n  ')
}

/**
 * JSON to stand between single quotes. What could end them, or expand, in sh, PowerShell or cmd is an escape of JSON: a
 * shared link may have chosen the text.
 */
export const shellJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/\\\\|\\"|['%!\u2018-\u201b]/g, (found) =>
    found === '\\\\'
      ? found
      : `\\u${found
          .charCodeAt(found.length - 1)
          .toString(16)
          .padStart(4, '0')}`,
  )

function javascript(url: string, key: string, body: unknown, method: string, pairs: string): string {
  const request = [
    ...(method || body !== undefined ? [`  method: "${method || 'POST'}",`] : ''),
    `  headers: { Authorization: "Bearer ${key}"${pairs} },`,
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
  ]
  return [`const response = await fetch("${url}", {`, ...request, '})', 'console.log(await response.json())'].join('\n')
}

function python(url: string, key: string, body: unknown, method: string, pairs: string): string {
  const request = [
    ...(body === undefined ? [] : [`    data=json.dumps(${pythonLiteral(body)}).encode(),`]),
    `    headers={"Authorization": "Bearer ${key}"${pairs}},`,
    ...(method && [`    method="${method}",`]),
  ]
  return [
    'import json, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    "${url}",`,
    ...request,
    ')',
    'print(json.load(urllib.request.urlopen(request)))',
  ].join('\n')
}

const indented = (text: string) => text.replaceAll('\n', '\n  ')
