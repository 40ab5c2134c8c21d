import type { z } from 'zod'

/** What is wrong with a manifest, a line for each fault, in the words of its writer: which key, and what it should be. */
export const manifestProblems = ({ issues }: z.ZodError): string[] => issues.flatMap(problem)

function problem(issue: z.core.$ZodIssue): string[] {
  const key = issue.path.join('.')
  const at = key === '' ? 'the manifest' : key
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((unknown) => `${[...issue.path, unknown].join('.')} is no key of a manifest`)
  const options = issue.code === 'invalid_value' ? issue.values.map(String) : 'options' in issue ? issue.options : null
  if (options) return [`${at} must be one of: ${(options as unknown[]).join(', ')}`]
  if (issue.input === undefined && issue.message.endsWith('received undefined')) return [`${at} is missing`]
  return [`${at}: ${issue.message}`]
}
