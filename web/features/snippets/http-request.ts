import type { HttpLanguage } from './languages.ts'

/** Lines of code, and texts, that make a request more than a GET. */
export interface Additions {
  /** After `curl`, with a space at its end. */
  verb?: string
  /** After the header with the key, on the same line. */
  pairs?: string
  before?: string[]
  after?: string[]
}

/** A GET in each language, complete and runnable: a shell, Node 20, or Python 3 without packages. */
export function httpRequest(
  language: HttpLanguage,
  url: string,
  key: string,
  { verb = '', pairs = '', before = [], after = [] }: Additions = {},
): string {
  if (language === 'curl')
    return [`curl ${verb}"${url}"`, `-H "Authorization: Bearer ${key}"`, ...after].join(' \\\n  ')
  const lines =
    language === 'javascript'
      ? [
          `const response = await fetch("${url}", {`,
          ...before,
          `  headers: { Authorization: "Bearer ${key}"${pairs} },`,
          ...after,
          '})',
          'console.log(await response.json())',
        ]
      : [
          'import json, urllib.request',
          '',
          'request = urllib.request.Request(',
          `    "${url}",`,
          ...before,
          `    headers={"Authorization": "Bearer ${key}"${pairs}},`,
          ...after,
          ')',
          'print(json.load(urllib.request.urlopen(request)))',
        ]
  return lines.join('\n')
}
