import type { InputPlace, Tool } from '../define-tool.ts'
import { namesOf } from './input-names.ts'

/** Where each input of a tool travels over REST, by its name there. */
export function placesOf({ tool: { input, rest } }: { tool: Tool }): Map<string, InputPlace> {
  if (!rest) return new Map()
  const inPath = new Set([...rest.path.matchAll(/\{([^{}/]+)\}/g)].map((match) => match[1]))
  const other = rest.method === 'GET' || rest.method === 'DELETE' ? 'query' : 'body'
  return new Map(
    namesOf(input).map((name) => {
      const shown = rest.names?.[name] ?? name
      return [shown, inPath.has(shown) ? 'path' : name === rest.bodyInput ? 'body' : (rest.places?.[name] ?? other)]
    }),
  )
}
