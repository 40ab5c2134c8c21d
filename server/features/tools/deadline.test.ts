import { expect, test } from 'vitest'
import { runUnderDeadline } from './deadline.ts'
import type { Tool, ToolContext } from './define-tool.ts'

test('a signal that is first asked for after the deadline is aborted too', async () => {
  let context: ToolContext | undefined
  const tool = {
    timeoutMs: 1,
    run: (_input: unknown, given: ToolContext) => {
      context = given
      return new Promise(() => {})
    },
  }
  const parts = { record: {} } as unknown as Parameters<typeof runUnderDeadline>[2]
  await expect(runUnderDeadline(tool as unknown as Tool, {}, parts, (output) => output)).rejects.toMatchObject({
    code: 'tool_timeout',
  })
  expect(context?.signal.aborted).toBe(true)
  expect(context?.signal.reason).toMatchObject({ code: 'tool_timeout' })
})
