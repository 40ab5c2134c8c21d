import { execFile, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openapi } from '#server/features/site/openapi.ts'
import { registerTool } from '#server/features/tools/register-tool.ts'
import { startToolServer } from '#server/features/tools/testing/tool-server.ts'
import { productTools } from '#server/product-tools.ts'
import { closeAfterTests } from '#server/testing/close-after-tests.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { openFaultRelay } from './fault-relay.ts'

const run = promisify(execFile)
const folder = join(import.meta.dirname, '../python')
/** `SDK_PYTHON` names another interpreter. */
const python = process.env.SDK_PYTHON ?? '/usr/bin/python3'
const has = (...modules: string[]) => spawnSync(python, ['-c', `import ${modules.join(', ')}`]).status === 0

test.skipIf(!has('httpx', 'pytest'))('the Python client against the product', { timeout: 600_000 }, async () => {
  const server = await startToolServer(productTools)
  const relay = await openFaultRelay(server.url)
  try {
    const { value, accountId } = await server.key({ credits: 10_000, prefix: 'nw_' })
    const examples = server.deps.tools
      .current()
      .all.filter(({ tool }) => tool.rest)
      .map(({ tool }) => [
        tool.name,
        Object.fromEntries(
          Object.entries(tool.example ?? {}).map(([name, given]) => [tool.rest?.names?.[name] ?? name, given]),
        ),
      ])
    const { stdout } = await run(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests'], {
      cwd: folder,
      maxBuffer: 16 * 1024 * 1024,
      env: {
        PATH: process.env.PATH,
        PYTHONDONTWRITEBYTECODE: '1',
        FINMETER_URL: relay.url,
        FINMETER_API_KEY: value,
        FINMETER_EMPTY_KEY: (await server.key()).value,
        FINMETER_LIMITED_KEY: (await server.key({ credits: 10, rateLimit: 1 })).value,
        FINMETER_EXAMPLES: JSON.stringify(examples),
      },
    }).catch((error: { stdout: string }) => ({ stdout: `FAILED ${error.stdout}` }))
    expect(stdout).toMatch(/^(?!FAILED)[\s\S]*\d+ passed/)
    expect((await server.spending(accountId)).failedRows).toBe(0)
    expect(await server.invariants()).toEqual([])
  } finally {
    await relay.close()
    await server.close()
  }
})

test.skipIf(!has('httpx', 'pandas'))('every snippet of the README runs against the product', async () => {
  const server = await closeAfterTests(startToolServer(productTools))
  const { value } = await server.key({ credits: 1_000 })
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  const snippets = [...readme.matchAll(/```python\n([\s\S]*?)```/g)].map(([, code]) => code!)
  expect(snippets.length).toBeGreaterThan(4)
  const code = snippets.join('\n').replaceAll('fm_...', value).replaceAll('https://data.example.com', server.url)
  const env = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: folder }
  const { stdout } = await run(python, ['-c', code], { env })
  expect(stdout).toMatch(/unknown_symbol APPL is not in the catalog.* \['AAPL'\]/)
  const [, start] = /```python\n([\s\S]*?)```/.exec(await readFile(join(folder, '../../README.md'), 'utf8'))!
  const own = start!
    .replaceAll('fm_...', value)
    .replaceAll('https://data.example.com', server.url)
    .replaceAll('ACME', 'AAPL')
  expect((await run(python, ['-c', own], { env })).stdout).toContain('2018-05-11')
})

test.skipIf(!has('httpx'))('an installation makes its own package, and its document cannot write code', async () => {
  const all = productTools.map((tool, index) => registerTool(tool, index))
  const document = openapi({ all }, 'https://data.example.com') as {
    paths: Record<string, { get: { operationId: string; description: string } }>
  }
  const { get } = document.paths['/v1/status']!
  get.operationId = 'own_status'
  get.description = 'Ends """ + exit(9) + """ \\'
  const dir = temporaryFolder()
  await writeFile(join(dir, 'openapi.json'), JSON.stringify(document))
  const out = join(dir, 'own')
  await run(process.execPath, ['scripts/sdk.ts', 'python', '--out', out, '--from', join(dir, 'openapi.json')], {
    cwd: join(folder, '../..'),
  })
  const code = 'from finmeter import Finmeter; print(Finmeter.own_status.__doc__, hasattr(Finmeter, "get_status"))'
  const { stdout } = await run(python, ['-c', code], { env: { PYTHONPATH: out } })
  expect(stdout).toContain('Ends """ + exit(9) + """ \\')
  expect(stdout).toMatch(/False\n$/)
})

test.skipIf(!has('mypy', 'httpx'))('the hints of the Python client pass mypy', { timeout: 300_000 }, async () => {
  const { stdout } = await run(python, ['-m', 'mypy', '--cache-dir=/dev/null', '--python-version=3.10'], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error)
  expect(stdout).toMatch(/^Success/)
})
