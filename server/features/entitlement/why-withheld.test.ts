import { expect, test } from 'vitest'
import { type DataTerms, type Reader, whyWithheld } from './why-withheld.ts'

const open = { redistribution: 'open' }
const licensed = { redistribution: 'licensed' }
const forPro = { redistribution: 'open', plans: ['pro'] }
const notForAi = { redistribution: 'open', ai_clients: false }
const nobody = { plans: null, forAi: false }
const free = { plans: new Set<string>(), forAi: false }
const pro = { plans: new Set(['pro']), forAi: false }

test.each<[string, DataTerms, Reader, ReturnType<typeof whyWithheld>]>([
  ['open data', open, nobody, null],
  ['demonstration data', { redistribution: 'demo-only' }, nobody, null],
  ['licensed data', licensed, nobody, 'secret'],
  ['data of a plan', forPro, nobody, 'secret'],
  ['licensed data, with an account', licensed, free, null],
  ['data of a plan, without it', forPro, free, 'plan'],
  ['data of a plan, with it', forPro, pro, null],
  ['data not for AI clients, for a person', notForAi, free, null],
  ['data not for AI clients, for one', notForAi, { ...free, forAi: true }, 'ai_clients'],
  ['the same with the demo key', notForAi, { ...nobody, forAi: true }, 'ai_clients'],
  ['data of a plan and not for AI clients', { ...forPro, ai_clients: false }, { ...free, forAi: true }, 'plan'],
])('%s', (_, terms, reader, why) => {
  expect(whyWithheld(terms, reader)).toBe(why)
})
