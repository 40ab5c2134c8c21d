import { httpRequest } from './http-request.ts'
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
  const hasBody = body !== undefined
  const more = Object.entries({ ...(hasBody && { 'Content-Type': 'application/json' }), ...headers })
  const pairs = more.map(([name, value]) => `, "${name}": ${JSON.stringify(value)}`).join('')
  switch (language) {
    case 'curl':
      return httpRequest(language, url, key, {
        verb: method && `-X ${method} `,
        // What could end the quotes, or expand, is left out.
        after: [
          ...more.map(([name, value]) => `-H "${name}: ${value.replaceAll(/["\\%!$`\r\n]/g, '')}"`),
          ...(hasBody ? [`-d '${shellJson(body)}'`] : []),
        ],
      })
    case 'javascript':
      return httpRequest(language, url, key, {
        before: method || hasBody ? [`  method: "${method || 'POST'}",`] : [],
        pairs,
        after: hasBody ? [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`] : [],
      })
    case 'python':
      return httpRequest(language, url, key, {
        before: hasBody ? [`    data=json.dumps(${pythonLiteral(body)}).encode(),`] : [],
        pairs,
        after: method ? [`    method="${method}",`] : [],
      })
  }
}

/** What a request has besides its URL and body. */
export interface RequestParts {
  /** Only if it is not the one that follows from the body. */
  method?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
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

const indented = (text: string) => text.replaceAll('\n', '\n  ')
