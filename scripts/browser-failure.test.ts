import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeFailure } from './browser-failure.ts'

// As Playwright writes it after a failed poll.
const context = `# Error details

# Page snapshot

\`\`\`yaml
- link "Skip to content" [ref=e4] [cursor=pointer]:
  - /url: "#content"
- main [ref=e5]:
  - heading "Pricing" [level=1] [ref=e6]
  - link "Choose Pro" [ref=e7]:
    - /url: /login
\`\`\`
`

test('a failed browser test is told with its line and the main part of the page', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-failure-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const path = join(dir, 'error-context.md')
  await writeFile(path, context)
  const error = { message: 'Error: \u001b[31mexpect\u001b[39m\n\nExpected: 1', location: { line: 5 } }
  const attachments = [
    { name: 'trace', path: 'trace.zip' },
    { name: 'error-context', path },
  ]
  const passed = { status: 'expected', results: [{}] }
  expect(await describeFailure([passed, { status: 'unexpected', results: [{ error, attachments }] }])).toBe(
    'line 5: Error: expect Expected: 1 The page showed: - main: - heading "Pricing" [level=1] - link "Choose Pro":',
  )
  expect(await describeFailure([{ status: 'unexpected', results: [{ error: { message: 'crashed' } }] }])).toBe(
    'crashed',
  )
})
