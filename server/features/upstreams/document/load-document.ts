import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { createGuardedFetch } from '../../../net/guarded-fetch.ts'

export const MAX_DOCUMENT_BYTES = 64 * 2 ** 20
const FETCH_TIMEOUT_MS = 30_000

/** An OpenAPI description, upgraded to 3.1, where schemas are JSON Schema 2020-12. */
export interface OpenApi {
  openapi: string
  info?: { title?: unknown; version?: unknown }
  paths?: Record<string, Record<string, unknown> | undefined>
  [part: string]: unknown
}

/** The text of a document. `from`: a file, or an http or https address, which may well be inside. Throws an Error that names it. */
export async function loadText(from: string): Promise<string> {
  try {
    if (/^https?:\/\//.test(from))
      return await fetchText(from, { privateNetworks: true, mostBytes: MAX_DOCUMENT_BYTES })
    return (await readFile(from, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    throw new Error(code === 'ENOENT' ? `There is no file ${from}.` : `${from} cannot be read: ${message}`)
  }
}

/** The text at an address. `privateNetworks`: it may be inside. Throws an Error, and BlockedAddress. */
export async function fetchText(
  address: string,
  { privateNetworks, mostBytes }: { privateNetworks: boolean; mostBytes: number },
): Promise<string> {
  const guarded = createGuardedFetch({ privateNetworks, timeoutMs: FETCH_TIMEOUT_MS, maxBytes: mostBytes })
  const answer = await guarded(address)
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`)
  return (await answer.text()).replace(/^\uFEFF/, '')
}

/**
 * Reads OpenAPI 3.0 or 3.1 or Swagger 2, as JSON or YAML. `warnings`: what is wrong with it but does not prevent reading, because
 * most published descriptions have small faults. Throws an Error when it is no such description.
 */
export async function parseDocument(text: string, from: string): Promise<{ document: OpenApi; warnings: string[] }> {
  const given = parseText(text, from) as Record<string, unknown> | null
  const version = String(given?.openapi ?? given?.swagger ?? '')
  if (!/^(2\.0|3\.[01](\.\d+)?)$/.test(version))
    throw new Error(`${from} is not an OpenAPI 3.0 or 3.1 or Swagger 2 description.`)
  if (!given?.paths || typeof given.paths !== 'object') throw new Error(`${from} has no paths.`)
  const outside = foreignReference(given)
  if (outside)
    throw new Error(
      `${from} refers to another file or address (${outside}). Bring it into one file first, for example with: npx @redocly/cli bundle`,
    )
  const { upgrade, validate } = await import('@scalar/openapi-parser')
  const { errors = [] } = await validate(given)
  // It changes what it is given, so it comes last.
  const document = upgrade(given).specification as unknown as OpenApi
  return { document, warnings: errors.map(({ message, path }) => `${[path ?? []].flat().join('/')}: ${message}`) }
}

function parseText(text: string, from: string): unknown {
  try {
    return /^\s*\{/.test(text) ? JSON.parse(text) : parse(text)
  } catch (error) {
    throw new Error(`${from} is neither JSON nor YAML: ${(error as Error).message}`)
  }
}

/** The first `$ref` that leaves the document: following it would read files and addresses that the operator never named. */
function foreignReference(root: unknown): string | null {
  const waiting = [root]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (node === null || typeof node !== 'object') continue
    const { $ref } = node as { $ref?: unknown }
    if (typeof $ref === 'string' && !$ref.startsWith('#')) return $ref
    waiting.push(...Object.values(node))
  }
  return null
}
