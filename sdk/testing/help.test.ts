import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../typescript')
const help = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [join(folder, 'src/cli/main.ts'), ...args, '--help'])).stdout
const readme = await readFile(join(folder, 'README.md'), 'utf8')

test('help and README have the same exit codes', async () => {
  const printed = [...(await help()).matchAll(/^ {2}(\d) {2}(.+)$/gm)].map(([, code, about]) => [code, about])
  const written = [...readme.matchAll(/^\| (\d) \| (.+) \|$/gm)].map(([, code, about]) => [code, about])
  expect(printed).toHaveLength(9)
  expect(written).toEqual(printed)
})

test('README has every command', async () => {
  const commands = [...(await help()).matchAll(/^ {2}([a-z]+(?: [a-z]+)?) [A-Z[ ]/gm)].map(([, name]) => name!)
  expect(commands).toContain('keys revoke')
  for (const name of commands) expect(readme).toContain(`\`${name}`)
})

test('each command explains its options', async () => {
  expect(await help('bars')).toMatch(/--range 1mo\|3mo\|6mo\|1y\|5y\|ytd\|max +up to now\n/)
  expect(await help('tools', 'call')).toContain('finmeter tools call TOOL [--INPUT VALUE ...]')
})
