import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const program = join(import.meta.dirname, '../typescript/src/cli/main.ts')
const script = (shell: string) => execFileSync(process.execPath, [program, 'completion', shell], { encoding: 'utf8' })

/** What was typed, and what the shell must and must not offer. The last word is the one that is completed. */
const cases: [string[], string[], string[]][] = [
  [[''], ['login', 'keys', 'bars', 'completion'], ['create', '--csv']],
  [['ke'], ['keys'], ['login']],
  [
    ['keys', ''],
    ['list', 'create', 'revoke'],
    ['login', 'keys'],
  ],
  [['--json', 'keys', 'cre'], ['create'], ['list']],
  [['keys', 'create', 'Name', '--'], ['--monthly-credits', '--json'], ['--csv']],
  [['keys', 'create', 'Name', '--scopes', ''], ['rest', 'mcp', 'read'], ['--json']],
  [
    ['bars', 'AAPL', '--range', ''],
    ['1y', 'max'],
    ['1m', '--csv'],
  ],
  [['completion', ''], ['bash', 'zsh', 'fish'], []],
]

/** How a shell that has loaded the script is asked. `SHELLS_ROOT` has shells that are unpacked, not installed. */
const root = process.env.SHELLS_ROOT ?? ''
const shells: Record<string, { path: string; ask: (words: string[]) => string }> = {
  bash: {
    path: '/bin/bash',
    ask: (words) => `${script('bash')}
COMP_WORDS=(finmeter ${words.map(quoted).join(' ')}); COMP_CWORD=${words.length}
_finmeter; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  zsh: {
    path: `${root}/bin/zsh`,
    ask: (words) => `module_path=(${root}/usr/lib/*/zsh/*(N/) $module_path)
compdef() { :; }
compadd() { shift; print -l -- \${(M)@:#\${words[CURRENT]}*}; }
${script('zsh')}
words=(finmeter ${words.map(quoted).join(' ')}); CURRENT=${words.length + 1}
_finmeter`,
  },
  fish: {
    path: `${root}/usr/bin/fish`,
    ask: (words) => `set -gp fish_function_path '${root}/usr/share/fish/functions'
${script('fish')}
complete -C ${quoted(['finmeter', ...words].join(' '))}`,
  },
}
const quoted = (text: string) => `'${text}'`
const installed = (path: string): boolean => {
  try {
    execFileSync(path, ['-c', 'true'])
    return true
  } catch {
    return false
  }
}

describe.each(Object.entries(shells))('%s', (name, { path, ask }) => {
  const there = installed(path)
  beforeAll(() => {
    if (!there) console.warn(`${name} is not installed: its completion is not tested`)
  })

  test.skipIf(!there).each(cases)('%j', async (words, offered, absent) => {
    const { stdout, stderr } = await run(path, ['-c', ask(words)], { env: { ...process.env, HOME: '/nonexistent' } })
    expect(stderr.replaceAll(/^warning: .*\n|.*(HOME|config|permission).*\n/gim, '')).toBe('')
    const found = stdout.split('\n').map((line) => line.split('\t')[0])
    for (const word of offered) expect(found).toContain(word)
    for (const word of absent) expect(found).not.toContain(word)
  })
})

test('another shell is refused with the choices', async () => {
  const ended = await run(process.execPath, [program, 'completion', 'tcsh']).catch((error) => error)
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('Choose bash, zsh or fish.')])
})
