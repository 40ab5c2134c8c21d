import { commandLine } from './command-line.ts'
import type { Language } from './languages.ts'
import { libraryCall } from './library-call.ts'
import type { Operation } from './read-request.ts'
import { firstCallPath, type RequestParts, shellJson, snippet } from './snippets.ts'

const firstCallOperation: Operation = { tool: 'get_economic_series', template: '/v1/series/{id}' }

/** The first call in a language. */
export const firstCall = (language: Language, publicUrl: string, key: string): string =>
  code(language, firstCallOperation, publicUrl + firstCallPath, key)

/**
 * A request in any language. The command line and the published libraries call the tool by its name; where they do not know it,
 * `snippet` writes the HTTP request.
 */
export function code(
  language: Language,
  operation: Operation,
  url: string,
  key: string,
  body?: unknown,
  parts?: RequestParts,
): string {
  if (language === 'cli') return commandLine(operation, url, key, body, shellJson, parts?.headers)
  const call = language === 'curl' ? null : libraryCall(language, operation, url, key, body)
  return call ?? snippet(language, url, key, body, parts)
}
