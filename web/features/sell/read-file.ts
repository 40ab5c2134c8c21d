import { readOpenApi, type SoldApi } from './read-openapi.ts'

/** Larger ones would hold up the page; the command reads up to 64 MiB. */
export const MOST_MIB = 4

/** An API from a file that a visitor gives. Nothing leaves the browser. Throws an Error that says what is wrong and what to do. */
export async function readFile(file: File): Promise<SoldApi> {
  if (file.size > MOST_MIB * 2 ** 20)
    throw new Error(
      `${file.name} has ${(file.size / 2 ** 20).toFixed(1)} MiB. This page reads up to ${MOST_MIB} MiB; the command below reads larger ones.`,
    )
  if (file.size === 0) throw new Error(`${file.name} is empty.`)
  return readOpenApi(await parse(await file.text()))
}

/** JSON or YAML, as the server tells them apart. */
async function parse(given: string): Promise<unknown> {
  const text = given.replace(/^\uFEFF/, '')
  const isJson = /^\s*\{/.test(text)
  try {
    if (isJson) return JSON.parse(text)
    const { parse } = await import('yaml')
    // Without warnings on the console; aliases may not make it larger without bound.
    return parse(text, { logLevel: 'error', maxAliasCount: 100 })
  } catch (error) {
    const reason = (error as Error).message.split('\n')[0]!.replace(/:$/, '.')
    throw new Error(`This is neither JSON nor YAML. ${reason}`)
  }
}
