import type { HttpLanguage } from './languages.ts'
import { pythonLiteral } from './python-literal.ts'

/** The first call: a month of oil prices, which are open data: they are also there without the demonstration prices. */
export const firstCallPath = '/v1/series/OIL.WTI?range=1mo'
/**
 * The same request in each language, without packages, complete and runnable: a shell, Node 20, or Python 3. A GET, or a
 * POST of JSON if there is a `body`. The JavaScript is also valid TypeScript.
 */
export function snippet(language: HttpLanguage, url: string, key: string, body?: unknown): string {
  switch (language) {
    case 'curl':
      return curl(url, key, body)
    case 'javascript':
      return javascript(url, key, body)
    case 'python':
      return python(url, key, body)
  }
}

function curl(url: string, key: string, body: unknown): string {
  const lines = [`curl "${url}"`, `-H "Authorization: Bearer ${key}"`]
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

function javascript(url: string, key: string, body: unknown): string {
  const request =
    body === undefined
      ? [`  headers: { Authorization: "Bearer ${key}" },`]
      : [
          '  method: "POST",',
          `  headers: { Authorization: "Bearer ${key}", "Content-Type": "application/json" },`,
          `  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`,
        ]
  return [`const response = await fetch("${url}", {`, ...request, '})', 'console.log(await response.json())'].join('\n')
}

function python(url: string, key: string, body: unknown): string {
  const request =
    body === undefined
      ? [`    headers={"Authorization": "Bearer ${key}"},`]
      : [
          `    data=json.dumps(${pythonLiteral(body)}).encode(),`,
          `    headers={"Authorization": "Bearer ${key}", "Content-Type": "application/json"},`,
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
