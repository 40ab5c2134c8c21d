import { expect, test } from 'vitest'
import { KeyRound } from '../../ui/icons/docs.ts'
import { type Command, matching } from './commands.ts'

const command = (group: string, label: string, rest: Partial<Command> = {}): Command => ({
  id: label,
  group,
  label,
  icon: KeyRound,
  run: () => {},
  ...rest,
})
const commands = [
  command('Pages', 'API Keys'),
  command('Pages', 'Billing'),
  command('Actions', 'Buy credits', { words: 'top up' }),
  command('Actions', 'Rotate Backtests', { words: 'key', searchedOnly: true }),
  command('API keys', 'Backtests'),
]

test.each([
  ['', ['API Keys', 'Billing', 'Buy credits', 'Backtests']],
  ['  ', ['API Keys', 'Billing', 'Buy credits', 'Backtests']],
  ['KEYS', ['API Keys', 'Backtests']],
  ['api back', ['Backtests']],
  ['top up', ['Buy credits']],
  ['rotate key back', ['Rotate Backtests']],
  ['ill', ['Billing']],
  ['nothing', []],
])('%j finds %j', (typed, labels) => {
  expect(matching(commands, typed).map(({ label }) => label)).toEqual(labels)
})

test('shows at most 50 of many', () => {
  const many = Array.from({ length: 60 }, (_, n) => command('API keys', `Key ${n}`))
  expect(matching(many, '')).toHaveLength(50)
  expect(matching(many, 'key')).toHaveLength(50)
  expect(matching(many, 'key 59').map(({ label }) => label)).toEqual(['Key 59'])
})
