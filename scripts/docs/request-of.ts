import type { Tool } from '../../server/features/tools/define-tool.ts'
import { placesOf } from '../../server/features/tools/input/input-places.ts'
import type { RequestExample } from './request-example.ts'

/** The REST request of the tool's example; null without one. Lists are joined by commas in a query. */
export function requestExample(tool: Tool): RequestExample | null {
  const { rest, example } = tool
  if (!rest || !example) return null
  const places = placesOf({ tool })
  const named = Object.entries(example).map(([input, value]) => {
    const name = rest.names?.[input] ?? input
    return { input, name, value, place: places.get(name) }
  })
  const at = (wanted: string) => named.filter(({ place }) => place === wanted)
  let path = rest.path
  for (const { name, value } of at('path')) path = path.replace(`{${name}}`, () => encodeURIComponent(String(value)))
  const query = at('query').map(({ name, value }) => `${name}=${queryText(value)}`)
  const headers = Object.fromEntries(at('header').map(({ name, value }) => [name, oneLine(value)]))
  const sent = at('body')
  const body =
    rest.bodyInput === undefined
      ? Object.fromEntries(sent.map(({ name, value }) => [name, value]))
      : sent.find(({ input }) => input === rest.bodyInput)?.value
  const hasBody = body !== undefined && (rest.method === 'POST' || sent.length > 0)
  const usual = hasBody ? 'POST' : 'GET'
  return {
    path: query.length > 0 ? `${path}?${query.join('&')}` : path,
    ...(hasBody && { body }),
    ...(rest.method !== usual && { method: rest.method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(tool.streamMs !== undefined && { streams: true }),
  }
}

const oneLine = (value: unknown) => String(value).replaceAll(/\s+/g, ' ').trim()

const queryText = (value: unknown) =>
  [value]
    .flat()
    .map((item) => encodeURIComponent(typeof item === 'object' ? JSON.stringify(item) : String(item)))
    .join(',')
