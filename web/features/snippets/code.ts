import { commandLine, type Operation } from './command-line.ts'
import type { Language } from './languages.ts'
import { firstCallPath, type RequestParts, shellJson, snippet } from './snippets.ts'

const firstCallOperation: Operation = { tool: 'get_economic_series', template: '/v1/series/{id}' }

/** The first call in a language. */
export const firstCall = (language: Language, publicUrl: string, key: string): string =>
  code(language, firstCallOperation, publicUrl + firstCallPath, key)

/** A request in any language: `snippet` and, for the command line, the tool that it calls. */
export const code = (
  language: Language,
  operation: Operation,
  url: string,
  key: string,
  body?: unknown,
  parts?: RequestParts,
): string =>
  language === 'cli'
    ? commandLine(operation, url, key, body, shellJson, parts?.headers)
    : snippet(language, url, key, body, parts)
