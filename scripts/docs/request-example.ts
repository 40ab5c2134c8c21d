import { productTools } from '../../server/product-tools.ts'
import { code } from '../../web/features/snippets/code.ts'
import type { Language } from '../../web/features/snippets/languages.ts'

/** A request that the documentation shows: `path` with its query, and the JSON body of a POST. */
export interface RequestExample {
  path: string
  body?: unknown
}

export const requestLanguages: { language: Language; name: string }[] = [
  { language: 'curl', name: 'curl' },
  { language: 'javascript', name: 'TypeScript' },
  { language: 'python', name: 'Python' },
  { language: 'cli', name: 'CLI' },
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
): string => code(language, operationOf(path, body), origin + path, key, body)

/** The tool that answers a path. Throws for a path that no tool answers. */
function operationOf(path: string, body: unknown) {
  const [bare = ''] = path.split('?')
  const found = productTools.find(
    ({ rest }) =>
      rest &&
      (rest.method === 'GET') === (body === undefined) &&
      new RegExp(`^${rest.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare),
  )
  if (!found?.rest) throw new Error(`no tool answers ${path}`)
  return { tool: found.name, template: found.rest.path }
}
