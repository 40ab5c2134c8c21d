/** Writes .env.example from the settings of server/config/config.ts. `--check` only compares. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { settings } from '#server/config/config.ts'

const target = join(import.meta.dirname, '../.env.example')
const head =
  '# Every variable that Finmeter reads. Generated from server/config/config.ts by npm run env:example.\n# None is needed on a laptop; docs/operations.md says which ones production needs.\n'
const body = Object.entries(settings).map(
  ([name, { about, hint, example }]) => `\n# ${about}\n# Value: ${hint}.\n# ${name}=${example ?? ''}\n`,
)
const text = head + body.join('')

if (!process.argv.includes('--check')) await writeFile(target, text)
else if (text !== (await readFile(target, 'utf8').catch(() => ''))) {
  console.error('.env.example does not match server/config/config.ts: run npm run env:example')
  process.exitCode = 1
}
