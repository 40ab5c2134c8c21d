import { shopNow } from '../../lib/shop.ts'
import { commandLine } from './command-line.ts'
import { type Language, languages } from './languages.ts'
import { libraryCall } from './library-call.ts'
import type { Operation } from './read-request.ts'
import { type RequestParts, shellJson, snippet } from './snippets.ts'

const isNamed = (): boolean => shopNow()?.named ?? false

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
