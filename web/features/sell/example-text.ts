import { formatMoney } from '#contract/currency.ts'
import { formatWhole } from '../../lib/format.ts'

export const exampleText = {
  label: 'From your file to revenue, as an example',
  file: {
    title: 'Your OpenAPI file',
    drop: 'Drop an OpenAPI file here',
    choose: 'Choose a file',
    sample: 'Use the sample',
    sold: (count: number) => (count === 1 ? '1 GET operation' : `${formatWhole(count)} GET operations`),
    left: (count: number) => (count === 1 ? '1 other is skipped' : `${formatWhole(count)} others are skipped`),
  },
  endpoint: {
    title: 'A priced endpoint',
    operation: 'Operation',
    price: 'Price per call',
    credits: (count: number) => (count === 1 ? '1 credit' : `${formatWhole(count)} credits`),
    money: (cents: number) => `${formatMoney(cents, 'usd', true)} per call`,
    worth: '100 credits sell for $1 here. You decide.',
  },
  call: {
    title: 'A customer’s call',
    again: 'Call again',
    steps: {
      key: 'The key is known',
      credits: 'Enough credits are left',
      api: 'Your API returns 200',
      charge: (credits: string) => `${credits} charged, on disk`,
      response: 'The response is sent',
    },
    refused: {
      key: 'The key is known',
      credits: 'Too few credits',
      api: 'Your API is not called',
      charge: () => 'Nothing is charged',
      response: 'The refusal is sent',
    },
  },
  revenue: {
    title: 'Your revenue',
    calls: (count: number) => (count === 1 ? 'from 1 call' : `from ${formatWhole(count)} calls`),
    month: 'At 100,000 calls a month',
    share: 'Finmeter takes no fee and no share of it.',
    remaining: 'The customer has left',
    left: (count: number, bought: number) => `${formatWhole(count)} of ${formatWhole(bought)} credits`,
  },
  about: 'An example: your browser reads the file and computes the call. Nothing is sent.',
  command: 'Do it for real, in a second terminal beside npm start',
}
