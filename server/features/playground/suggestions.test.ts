import { expect, test } from 'vitest'
import type { PlaygroundTool } from '#contract/playground.ts'
import { commandList } from '../../../web/features/playground/chat/language/command-list.ts'
import { byInterest } from '../../../web/features/playground/chat/suggestions/own-tools.ts'
import { bundledDatasets, starters } from '../../../web/features/playground/chat/suggestions/suggestions.ts'
import { productTools } from '../../product-tools.ts'

const tool = (name: string, more: Partial<PlaygroundTool> = {}): PlaygroundTool => ({
  name,
  inputSchema: {},
  serverName: 'finmeter',
  tokens: 1,
  ...more,
})
const tools = productTools.map(({ name }) => tool(name))
const all = [...bundledDatasets]

const weather = [
  tool('get_usage'),
  tool('north_forecast', {
    title: 'Forecast of a city',
    inputSchema: {
      required: ['city', 'unit', 'days'],
      properties: {
        city: { examples: ['Berlin', 'Bern'] },
        unit: { enum: ['C', 'F'] },
        days: { default: 3 },
        hour: { example: 5 },
      },
    },
  }),
  tool('north_station', { inputSchema: { required: ['id'], properties: { id: { type: 'string' } } } }),
  tool('north_erase', { hints: { destructive: true } }),
]

test('a shop that sells only its own tools suggests these, and no market data', () => {
  // The datasets are still listed: what no tool reads is not suggested.
  expect(starters(all, [{ symbol: 'ACME' }], weather)).toEqual([
    { line: 'Forecast of a city', tool: 'north_forecast', arguments: { city: 'Berlin', unit: 'C', days: 3 } },
    { line: 'north station', form: 'north_station' },
  ])
  expect(commandList([], null, weather).map(({ command }) => command)).toEqual(['help', 'usage'])
})

test('own tools come before the demonstration, which has no tool that is taken for an own one', () => {
  expect(starters(all, [], [...tools, ...weather])[0]).toMatchObject({ line: 'Forecast of a city' })
  expect(starters(all, [], tools)[0]).toMatchObject({ line: 'oil since 2022' })
  const mixed = ['add', 'get_bars', 'echo', 'get_usage', 'timestamp'].map((name) => tool(name))
  expect(byInterest([...mixed, ...weather.slice(1, 2)]).map(({ name }) => name)).toEqual([
    'north_forecast',
    'get_bars',
    'get_usage',
    'add',
    'echo',
    'timestamp',
  ])
})
