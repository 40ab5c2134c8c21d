import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const run = promisify(execFile)
const guide = readFileSync('web/content/docs/webhooks.md', 'utf8')
const code = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? ''

// The example that the Standard Webhooks project publishes for its libraries.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const body = '{"test": 2432232314}'
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}
const sent = 1_614_265_330

const programs = {
  typescript: (call: string) =>
    [
      process.execPath,
      ['--input-type=module-typescript', '-e', `${code('typescript')}\nconsole.log(${call})`],
    ] as const,
  python: (call: string) => ['python3', ['-c', `${code('python')}\nprint(str(${call}).lower())`]] as const,
}

describe.each(['typescript', 'python'] as const)('the guide’s verifier in %s', (language) => {
  const words = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join(', ')
  const now = language === 'typescript' ? sent * 1_000 : sent
  const late = language === 'typescript' ? (sent + 301) * 1_000 : sent + 301
  test.each([
    ['believes the published example', words(secret, headers, body, now), 'true'],
    [
      'believes one of several signatures',
      words(secret, { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }, body, now),
      'true',
    ],
    ['refuses another body', words(secret, headers, '{"test": 2432232315}', now), 'false'],
    ['refuses another secret', words('whsec_NfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', headers, body, now), 'false'],
    ['refuses what is older than five minutes', words(secret, headers, body, late), 'false'],
  ])('%s', async (_what, values, answer) => {
    const [command, args] = programs[language](`verify(${values})`)
    const { stdout } = await run(command, [...args], { timeout: 120_000 })
    expect(stdout.trim()).toBe(answer)
  })
})
