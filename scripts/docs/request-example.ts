import { code } from '../../web/features/snippets/code.ts'
import type { Language } from '../../web/features/snippets/languages.ts'
import type { Operation } from '../../web/features/snippets/read-request.ts'

/** A request that the documentation shows: `path` with its query, and the JSON body. Without a method: GET, or POST if there is a body. */
export interface RequestExample {
  path: string
  body?: unknown
  method?: string
  headers?: Record<string, string>
  /** The response is a stream, which only curl shows as it arrives. */
  streams?: boolean
}

/** The tool that answers a request. Throws for a request that none answers. */
export type OperationOf = (request: RequestExample) => Operation

export const requestLanguages: { language: Language; name: string }[] = [
  { language: 'curl', name: 'curl' },
  { language: 'javascript', name: 'TypeScript' },
  { language: 'python', name: 'Python' },
  { language: 'cli', name: 'CLI' },
]

/** The languages of a request's snippets. */
export const languagesOf = ({ streams }: RequestExample) =>
  streams ? requestLanguages.filter(({ language }) => language === 'curl') : requestLanguages

const HEADER = /^([\w!#$%&'*+.^`|~-]+): (.*)$/

/** Reads a `request` block: method and path, headers, then JSON. A stream has `STREAM` in front. Throws on anything else. */
export function parseRequest(text: string): RequestExample {
  const [first = '', ...lines] = text.trim().split('\n')
  const [, streams, method, path] = /^(STREAM )?(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/.exec(first) ?? []
  if (!method || !path) throw new Error(`not a request example:\n${text}`)
  const headers: Record<string, string> = {}
  for (let header = HEADER.exec(lines[0] ?? ''); header; header = HEADER.exec(lines[0] ?? '')) {
    headers[header[1]!] = header[2]!
    lines.shift()
  }
  const usual = lines.length > 0 ? 'POST' : 'GET'
  return {
    path,
    ...(lines.length > 0 && { body: JSON.parse(lines.join('\n')) as unknown }),
    ...(method !== usual && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(streams && { streams: true }),
  }
}

/** The block that `parseRequest` reads. */
export function requestBlock({ path, body, headers = {}, streams, ...given }: RequestExample): string {
  const method = given.method ?? (body === undefined ? 'GET' : 'POST')
  const lines = [
    `${streams ? 'STREAM ' : ''}${method} ${path}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [JSON.stringify(body, null, 2)]),
  ]
  return `\`\`\`request\n${lines.join('\n')}\n\`\`\``
}

/**
 * `origin` and `key` are the placeholders that the server and the reader's browser replace, or real values in tests.
 */
export const requestSnippet = (
  request: RequestExample,
  language: Language,
  operationOf: OperationOf,
  { origin = '%ORIGIN%', key = 'YOUR_API_KEY' } = {},
): string => {
  const { path, body, method, headers } = request
  return code(language, operationOf(request), origin + path, key, body, { method, headers })
}
