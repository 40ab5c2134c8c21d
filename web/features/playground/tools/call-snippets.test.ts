import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { callSnippet } from './call-snippets.ts'

const run = promisify(execFile)

test('the shell sees one address and one body, whatever a server or a link has put into them', async () => {
  const url = "https://mcp.test/a;id?x=1&y=$(id)'z"
  const args = { text: `'; id; '"&id&" $(id) !!` }
  const code = callSnippet('curl', url, 'echo', args)
  const { stdout } = await run('sh', ['-c', code.replace('curl', `printf '%s\\n'`)])
  const words = stdout.trimEnd().split('\n')
  expect(words.slice(0, -1)).toEqual([
    'https://mcp.test/a;id?x=1&y=$(id)%27z',
    '-H',
    'Authorization: Bearer YOUR_API_KEY',
    '-H',
    'Content-Type: application/json',
    '-d',
  ])
  expect(JSON.parse(words.at(-1)!).params).toEqual({ name: 'echo', arguments: args })
})
