import type { BodyAnswer, Tool, ToolContext } from '../define-tool.ts'
import { jsonInput } from '../json-input.ts'

export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): BodyAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(value)),
})

/** An operation of the upstream `acme`, as a published one is registered. */
export function operation(
  name: string,
  run: (input: Record<string, unknown>, context: ToolContext) => Promise<BodyAnswer> | BodyAnswer,
  {
    method = 'GET',
    path = `/${name}`,
    properties = {},
    required = [],
    ...more
  }: Partial<Tool> & {
    method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    path?: string
    properties?: Record<string, unknown>
    required?: string[]
  } = {},
): Tool {
  return {
    name: `acme_${name}`,
    title: name,
    description: `The operation ${name} of a test.`,
    input: jsonInput({ type: 'object', properties, required }),
    output: { jsonSchema: {} },
    kind: 'body',
    credits: { kind: 'fixed', credits: 2 },
    upstream: { id: 'acme', operation: name, method, path },
    rest: { method, path: `/v1/acme${path}` },
    run,
    ...more,
  }
}
