import { expect, test } from 'vitest'
import { addCommand } from './add-command.ts'
import { revenueCents } from './example-calls.ts'
import { chargedCalls, type ExampleState, firstState, nextState } from './example-state.ts'

const END = 4
const call = (state: ExampleState, stage = END) => nextState(state, { type: 'call', stage })
const at = (price: number) => nextState(firstState, { type: 'price', price })

test('each call costs the price of its moment, and the balance and the revenue follow', () => {
  const state = call(call(at(40)))
  expect(state.calls).toEqual([
    { status: 200, charged: 5, remaining: 95, receipt: 1 },
    { status: 200, charged: 40, remaining: 55, receipt: 2 },
    { status: 200, charged: 40, remaining: 15, receipt: 3 },
  ])
  expect(revenueCents(state.calls)).toBe(85)
})

test('without enough credits a call is refused, and costs nothing', () => {
  let state = at(30)
  for (let calls = 0; calls < 4; calls++) state = call(state)
  expect(state.calls.at(-1)).toEqual({ status: 402, charged: 0, remaining: 5, receipt: null })
  expect(revenueCents(state.calls)).toBe(95)
  // A cheaper call still fits.
  expect(call(nextState(state, { type: 'price', price: 5 })).calls.at(-1)).toEqual({
    status: 200,
    charged: 5,
    remaining: 0,
    receipt: 5,
  })
})

test('revenue counts a call once it is charged, which is before its response', () => {
  const stages = [0, 1, 2, 3, 4].map((stage) => chargedCalls(call(firstState, stage)).length)
  expect(stages).toEqual([1, 1, 1, 2, 2])
})

test('another file starts over; a refused one leaves everything but its reason', () => {
  const used = call(nextState(firstState, { type: 'choose', chosen: 2 }))
  const refused = nextState(used, { type: 'refuse', problem: 'No.' })
  expect(refused).toEqual({ ...used, problem: 'No.' })
  const api = { title: 'Acme', id: 'acme', base: null, operations: [], left: 0 }
  const next = nextState(refused, { type: 'open', file: 'a.yaml', api, stage: 0 })
  expect(next).toMatchObject({ file: 'a.yaml', api, problem: null, chosen: 0, stage: 0 })
  expect(next.calls).toEqual([{ status: 200, charged: 5, remaining: 95, receipt: 1 }])
})

test('the command names the file, the API and the price, safe to paste', () => {
  expect(addCommand(firstState)).toBe(
    'npm run upstream -- add weather.json --id weather --base https://api.weather.example --price 5',
  )
  const api = { ...firstState.api, id: 'acme', base: null }
  expect(addCommand({ file: "it's $(rm).yaml", api, price: 7 })).toBe(
    `npm run upstream -- add 'it'\\''s $(rm).yaml' --id acme --base https://api.acme.example --price 7`,
  )
})
