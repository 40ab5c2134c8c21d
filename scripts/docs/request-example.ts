import { type Language, snippet } from '../../web/features/snippets/snippets.ts'

/** A request that the documentation shows: `path` with its query, and the JSON body of a POST. */
export interface RequestExample {
  path: string
  body?: unknown
}

export const requestLanguages: { language: Language; name: string }[] = [
  { language: 'curl', name: 'curl' },
  { language: 'javascript', name: 'TypeScript' },
  { language: 'python', name: 'Python' },
]

/** Reads a `request` block: `GET /v1/...`, or `POST /v1/...` with the JSON below. Throws on anything else. */
export function parseRequest(text: string): RequestExample {
  const [, method, path, json] = /^(GET|POST) (\/\S*)(?:\n([\s\S]+))?$/.exec(text.trim()) ?? []
  if (!path || (method === 'POST') !== Boolean(json)) throw new Error(`not a request example:\n${text}`)
  return json ? { path, body: JSON.parse(json) as unknown } : { path }
}

/** The block that `parseRequest` reads. */
export const requestBlock = ({ path, body }: RequestExample): string =>
  `\`\`\`request\n${body === undefined ? `GET ${path}` : `POST ${path}\n${JSON.stringify(body, null, 2)}`}\n\`\`\``

/**
 * `origin` and `key` are the placeholders that the server and the reader's browser replace, or real values in tests.
 */
export const requestSnippet = (
  { path, body }: RequestExample,
  language: Language,
  { origin = '%ORIGIN%', key = 'YOUR_API_KEY' } = {},
): string => snippet(language, origin + path, key, body)
