import { readFile } from 'node:fs/promises'
import { stripVTControlCharacters } from 'node:util'

/** What the JSON report of Playwright has of a test. */
export interface TestOfBrowser {
  status: string
  results: {
    error?: { message?: string; location?: { line: number } }
    attachments?: { name: string; path?: string }[]
  }[]
}

/** Of a failed browser test, on one line: where it failed, what was expected and what came, and what the page showed then. */
export async function describeFailure(tests: TestOfBrowser[]): Promise<string> {
  const failed = tests.flatMap(({ results }) => results).find(({ error }) => error)
  const { message = 'no message', location } = failed?.error ?? {}
  const context = failed?.attachments?.find(({ name }) => name === 'error-context')?.path
  const page = context === undefined ? '' : shownIn(await readFile(context, 'utf8').catch(() => ''))
  const line = location ? `line ${location.line}: ` : ''
  return `${line}${inOneLine(message).slice(0, 600)}${page && ` The page showed: ${page}`}`
}

/** The page's main part, or the part that was looked at, from the snapshot in Playwright's description of the failure. */
function shownIn(context: string): string {
  const snapshot = /```yaml\n([\s\S]*?)\n```/.exec(context)?.[1] ?? ''
  const main = snapshot.slice(Math.max(0, snapshot.indexOf('- main')))
  return inOneLine(main.replaceAll(/^ *- \/url: .*$/gm, '').replaceAll(/ \[(ref|cursor)=\w+\]/g, '')).slice(0, 1500)
}

const inOneLine = (text: string): string => stripVTControlCharacters(text).replaceAll(/\s+/g, ' ').trim()
