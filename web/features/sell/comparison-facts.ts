/** As read in the projects' code and documentation; not tried. */
export const readSources = {
  before: 'Read in August 2026 in the public code and documentation, not tried:',
  sources: [
    { name: 'zuplo/docs d01d37f', href: 'https://github.com/zuplo/docs/tree/d01d37f/docs/articles/monetization' },
    { name: 'unkeyed/unkey fc99b6b', href: 'https://github.com/unkeyed/unkey/tree/fc99b6b' },
    { name: 'useautumn/autumn 187c0a7', href: 'https://github.com/useautumn/autumn/tree/187c0a7' },
    { name: 'openmeterio/openmeter 7e57a39', href: 'https://github.com/openmeterio/openmeter/tree/7e57a39' },
    { name: 'getlago/lago f2e202a', href: 'https://github.com/getlago/lago/tree/f2e202a' },
  ],
  after: 'If a product has changed since, tell us, and we will correct it.',
}

export const products = ['Finmeter', 'Zuplo', 'Unkey', 'Autumn', 'OpenMeter', 'Lago'] as const

interface Row {
  question: string
  /** In the order of `products`. */
  answers: readonly [string, string, string, string, string, string]
}

export const comparison: readonly Row[] = [
  {
    question: 'When are credits decided?',
    answers: [
      'Before the response, exactly',
      'After the response',
      'Before, per key',
      'Before; allows calls when it fails',
      'Seconds to minutes later',
      'Later; no check per call',
    ],
  },
  {
    question: 'Is every charge on disk before the response leaves?',
    answers: ['Yes', 'No', 'No, from a buffer', 'No, Redis first', 'No', 'No'],
  },
  {
    question: 'Does a failed call cost anything?',
    answers: [
      'No',
      'No, only 2xx by default',
      'Yes, debited first',
      'Not if you hold and release',
      'Not stated',
      'Not stated',
    ],
  },
  {
    question: 'Can it hold the highest price and settle the actual one?',
    answers: ['Yes', 'Partly', 'No', 'Yes', 'No', 'No'],
  },
  {
    question: 'Is a retry free?',
    answers: ['Yes, same receipt', 'No', 'No', 'Refused with 409', 'By event ID', 'By transaction ID'],
  },
  {
    question: 'Do all keys of an account share its credits?',
    answers: ['Yes', 'Partly', 'No', 'Yes', 'Yes', 'Yes'],
  },
  { question: 'Does it meter MCP tools?', answers: ['Yes', 'Yes', 'No', 'No', 'No', 'No'] },
  {
    question: 'Are customer pages and playground included?',
    answers: ['Yes', 'Yes', 'No', 'React parts', 'No', 'Partly'],
  },
  {
    question: 'Can you host it yourself?',
    answers: ['Yes: one process, one PostgreSQL', 'With a sales contract', 'No guide', 'Partly', 'Yes', 'Yes'],
  },
]
