import { expect, test } from 'vitest'
import type { ToolContext } from './define-tool.ts'
import { type ExecuteDeps, execute } from './execute.ts'
import type { PreparedCall } from './prepare.ts'

test('a signal that is first asked for after the deadline is aborted too', async () => {
  let context: ToolContext | undefined
  const tool = {
    kind: 'body',
    run: (_input: unknown, given: ToolContext) => {
      context = given
      return new Promise(() => {})
    },
  }
  const call = { entry: { tool, timeoutMs: 1, readsMarket: false }, record: {} }
  const prepared = { call, input: {}, dryRun: false } as unknown as PreparedCall
  await expect(execute({} as ExecuteDeps, prepared)).rejects.toMatchObject({ code: 'tool_timeout' })
  expect(context?.signal.aborted).toBe(true)
  expect(context?.signal.reason).toMatchObject({ code: 'tool_timeout' })
})
