import { expect, test } from 'vitest'
import { type Command, matching } from './commands.ts'

const command = (group: string, label: string): Command => ({ id: label, group, label, run: () => {} })
const commands = [command('Pages', 'API Keys'), command('Pages', 'Billing'), command('API keys', 'Backtests')]

test.each([
  ['', ['API Keys', 'Billing', 'Backtests']],
  ['  ', ['API Keys', 'Billing', 'Backtests']],
  ['KEYS', ['API Keys', 'Backtests']],
  ['back key', ['Backtests']],
  ['ill', ['Billing']],
  ['nothing', []],
])('%j finds %j', (typed, labels) => {
  expect(matching(commands, typed).map(({ label }) => label)).toEqual(labels)
})
