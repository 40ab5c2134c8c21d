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
  { method = body === undefined ? 'GET' : 'POST', headers = {} }: RequestParts = {},
): string {
  switch (language) {
    case 'curl':
      return curl(url, key, body, method, headers)
    case 'javascript':
      return javascript(url, key, body, method, headers)
    case 'python':
      return python(url, key, body, method, headers)
  }
}

type Headers = Readonly<Record<string, string>>

/** What a request has besides its URL and body. */
export interface RequestParts {
  method?: string | undefined
  headers?: Headers | undefined
}

function curl(url: string, key: string, body: unknown, method: string, headers: Headers): string {
  const usual = body === undefined ? 'GET' : 'POST'
  const lines = [`curl ${method === usual ? '' : `-X ${method} `}"${url}"`, `-H "Authorization: Bearer ${key}"`]
  for (const [name, value] of Object.entries(headers)) lines.push(`-H '${shellText(`${name}: ${value}`)}'`)
  if (body !== undefined) {
    lines.push('-H "Content-Type: application/json"', `-d '${shellJson(body)}'`)
  }
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

/** Header values are single lines; what could end the quotes, or expand, is left out. */
const shellText = (text: string) => text.replaceAll(/['"\\%!$`\r\n\u2018-\u201b]/g, '')

function javascript(url: string, key: string, body: unknown, method: string, headers: Headers): string {
  const more = Object.entries(headers).map(([name, value]) => `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  const type = body === undefined ? '' : ', "Content-Type": "application/json"'
  const request = [
    ...(method === 'GET' ? [] : [`  method: "${method}",`]),
    `  headers: { Authorization: "Bearer ${key}"${type}${more.join('')} },`,
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
  ]
  return [`const response = await fetch("${url}", {`, ...request, '})', 'console.log(await response.json())'].join('\n')
}

function python(url: string, key: string, body: unknown, method: string, headers: Headers): string {
  const more = Object.entries(headers).map(([name, value]) => `, ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  const type = body === undefined ? '' : ', "Content-Type": "application/json"'
  const request = [
    ...(body === undefined ? [] : [`    data=json.dumps(${pythonLiteral(body)}).encode(),`]),
    `    headers={"Authorization": "Bearer ${key}"${type}${more.join('')}},`,
    ...(method === (body === undefined ? 'GET' : 'POST') ? [] : [`    method="${method}",`]),
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
