import type { z } from 'zod'

/** The problems of a manifest, one line each: the key, and what it should be. */
export const manifestProblems = ({ issues }: z.ZodError): string[] => issues.flatMap(problem)

function problem(issue: z.core.$ZodIssue): string[] {
  const key = issue.path.join('.')
  const at = key === '' ? 'the manifest' : key
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((unknown) => `${[...issue.path, unknown].join('.')} is not a manifest key`)
  const options = issue.code === 'invalid_value' ? issue.values.map(String) : 'options' in issue ? issue.options : null
  if (options) return [`${at} must be one of: ${(options as unknown[]).join(', ')}`]
  // The message is zod's own, or the server's (describe-issues.ts), which a running server has set for all schemas.
  if (issue.input === undefined && /received undefined$|^is required$/.test(issue.message)) return [`${at} is missing`]
  return [`${at}: ${issue.message}`]
}
