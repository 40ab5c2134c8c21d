import type { Call } from './command.ts'
import { addressOf } from './credentials.ts'
import { printJson, printText } from './print.ts'
import { readText } from './request.ts'

/** A page of the documentation as Markdown; without a name, the list of pages. */
export async function docs({ globals, positionals: [page] }: Call): Promise<void> {
  const url = await addressOf(globals)
  const name = page?.replace(/^\/?(docs\/)?/, '').replace(/(\.md|\/)$/, '')
  const address =
    name === undefined ? `${url}/llms.txt` : `${url}/docs/${name.split('/').map(encodeURIComponent).join('/')}.md`
  const text = await readText(address, 'text/markdown, text/plain')
  if (globals.json) printJson({ address, text })
  else printText(text)
}
