/** As read in the projects' code and documentation; not tried. */
export const read =
  'Read in August 2026 in the public code and documentation: unkeyed/unkey fc99b6b, useautumn/autumn 187c0a7, openmeterio/openmeter 7e57a39, getlago/lago f2e202a, zuplo/docs d01d37f. Where a product has changed since, tell us and we will correct it.'

export const products = ['Finmeter', 'Unkey', 'Autumn', 'OpenMeter', 'Lago', 'Zuplo'] as const

interface Row {
  question: string
  /** In the order of `products`. */
  answers: readonly [string, string, string, string, string, string]
}

export const comparison: readonly Row[] = [
  {
    question: 'Are credits decided before the answer leaves?',
    answers: [
      'Yes, exactly',
      'Yes, a counter per key',
      'Yes; allows calls when it fails',
      'No, seconds to minutes later',
      'No, later',
      'Charged after the response',
    ],
  },
  {
    question: 'Is every charge on disk before the answer leaves?',
    answers: ['Yes', 'No, from a buffer', 'No, Redis first', 'No', 'No', 'No'],
  },
  {
    question: 'Is a retry free?',
    answers: ['Yes, same answer and receipt', 'No', 'Refused with 409', 'By event ID', 'By transaction ID', 'No'],
  },
  {
    question: 'Do all keys of an account share its credits?',
    answers: ['Yes', 'No', 'Yes', 'Yes', 'Yes', 'Partly'],
  },
  {
    question: 'Are sign-in, customer pages and playground included?',
    answers: ['Yes', 'No', 'React parts', 'No', 'Partly', 'Yes'],
  },
  { question: 'Does it meter MCP tools?', answers: ['Yes', 'No', 'No', 'No', 'No', 'Yes'] },
  {
    question: 'Can you host it yourself?',
    answers: ['Yes: one process, one PostgreSQL', 'No guide', 'Partly', 'Yes', 'Yes', 'With a sales contract'],
  },
]
