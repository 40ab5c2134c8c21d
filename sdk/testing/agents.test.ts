import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startSandboxModel } from '#sandbox/model/start-model.ts'
import { startToolServer } from '#server/features/tools/testing/tool-server.ts'
import { productTools } from '#server/product-tools.ts'
import { closeAfterTests } from '#server/testing/close-after-tests.ts'
import { installPackage } from '../../scripts/install-package.ts'

const agents = join(import.meta.dirname, '../../examples/agents')
installPackage(agents)

const server = await closeAfterTests(startToolServer(productTools))
const model = await closeAfterTests(startSandboxModel({ key: 'sk-agents', model: 'sandbox-model' }))

test('the examples have the types of their libraries', async () => {
  const { stdout } = await promisify(execFile)('tsc', ['-p', agents])
  expect(stdout).toBe('')
})

test.each(['ai-sdk.ts', 'langchain.ts'])('%s asks the tool once, pays once, and says its figure', async (file) => {
  const { value, accountId } = await server.key({ credits: 10 })
  model.requests.length = 0
  const { stdout } = await promisify(execFile)(process.execPath, [file, 'What does AAPL cost?'], {
    cwd: agents,
    env: {
      PATH: process.env.PATH,
      FINMETER_URL: server.url,
      FINMETER_API_KEY: value,
      MODEL_URL: model.url,
      MODEL: 'sandbox-model',
      MODEL_KEY: 'sk-agents',
    },
  })
  expect(stdout).toContain('The tools say:')
  expect(stdout).toContain('188.59')
  const [first, second, ...more] = model.requests
  expect(more).toEqual([])
  expect(first?.tools?.map((tool) => tool.function.name)).toContain('get_bars')
  expect(second?.messages.map(({ role }) => role).slice(-3)).toEqual(['user', 'assistant', 'tool'])
  expect(await server.spending(accountId)).toEqual({ rows: 1, failedRows: 0, credits: 1 })
})
