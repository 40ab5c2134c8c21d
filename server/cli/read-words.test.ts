import { expect, test } from 'vitest'
import { runCommand } from '../testing/run-admin.ts'

/** Without settings: none of this may need a database. */
const run = (command: string, ...words: string[]) => runCommand(command, words, { NODE_ENV: 'test' })

test.each([
  ['admin', 'npm run admin -- find <text>'],
  ['backup', 'npm run backup -- [--to <folder>] [--keep <number>]'],
  ['billing', 'npm run billing -- reconcile       compares with Stripe'],
  ['data', 'npm run data -- validate <manifest.yaml>'],
  ['doctor', 'npm run doctor [-- --production]'],
  ['migrate', 'npm run migrate'],
  ['restore', 'npm run restore -- <backup>'],
  ['shop', 'npm run shop -- apply <shop.yaml>'],
  ['upstream', 'npm run upstream -- add <document>'],
])('%s --help says how it is used; an unknown option is named', async (command, usage) => {
  const [help, unknown] = await Promise.all([run(command, '--help'), run(command, '--colour')])
  expect([help.code, help.err]).toEqual([0, ''])
  expect(help.out.startsWith(usage)).toBe(true)
  expect([unknown.code, unknown.out]).toEqual([2, ''])
  expect(unknown.err).toMatch(/^Unknown option '--colour'\.\n\nnpm run /)
})

test('settings that are not valid are a message, not a stack trace', async () => {
  const { code, err } = await runCommand('data', ['list'], { NODE_ENV: 'test', PORT: 'many' })
  expect([code, err]).toEqual([1, expect.stringMatching(/^The configuration is not valid:\n {2}PORT[^\n]*\n$/)])
})

test('an act that is only a property of every object, and an option without its value, are refused, too', async () => {
  const [inherited, bare] = await Promise.all([run('admin', 'constructor'), run('backup', '--to')])
  expect([inherited.code, inherited.err.split('\n')[0]]).toEqual([2, 'There is no constructor here.'])
  expect([bare.code, bare.err.split('\n')[0]]).toEqual([2, "Option '--to <value>' argument missing."])
})
