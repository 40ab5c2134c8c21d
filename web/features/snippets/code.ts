import { shopNow } from '../../lib/shop.ts'
import { commandLine } from './command-line.ts'
import { type Language, languages } from './languages.ts'
import { libraryCall } from './library-call.ts'
import type { Operation } from './read-request.ts'
import { firstCallPath, type RequestParts, shellJson, snippet } from './snippets.ts'

const isNamed = (): boolean => shopNow()?.named ?? false

const firstCallOperation: Operation = { tool: 'get_economic_series', template: '/v1/series/{id}' }

/** The first call in a language. */
export const firstCall = (language: Language, publicUrl: string, key: string, named = isNamed()): string =>
  named && language !== 'cli'
    ? snippet(language, publicUrl + firstCallPath, key)
    : code(language, firstCallOperation, publicUrl + firstCallPath, key)

/** The languages that a shop shows: without programs under another name than the shop's. */
export const shownLanguages = (named = isNamed()): Language[] =>
  languages.filter((language) => !named || language !== 'cli')

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
  if (isNamed() && language !== 'cli') return snippet(language, url, key, body, parts)
  if (language === 'cli') return commandLine(operation, url, key, body, shellJson, parts?.headers)
  const call = language === 'curl' ? null : libraryCall(language, operation, url, key, body)
  return call ?? snippet(language, url, key, body, parts)
}
