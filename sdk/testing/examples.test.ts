import { execFile, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startToolServer, type ToolServer } from '#server/features/tools/testing/tool-server.ts'
import { productTools } from '#server/product-tools.ts'

const root = join(import.meta.dirname, '../..')
/** `SDK_PYTHON` names another interpreter. */
const python = process.env.SDK_PYTHON ?? '/usr/bin/python3'
const isInstalled = spawnSync(python, ['-c', 'import httpx, pandas']).status === 0

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer(productTools)
})
afterAll(() => server?.close())

async function runPython(...words: string[]): Promise<string> {
  const { value } = await server.key({ credits: 1_000 })
  const { stdout } = await promisify(execFile)(python, words, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: join(root, 'sdk/python'),
      PYTHONDONTWRITEBYTECODE: '1',
      FINMETER_URL: server.url,
      FINMETER_API_KEY: value,
    },
  })
  return stdout
}

test.skipIf(!isInstalled)('the backtest compares a crossing of averages with holding', async () => {
  const said = await runPython('examples/backtest.py')
  expect(said).toMatch(
    /^AAPL, \d{4} days to 2018-05-11\ncrossing: [+-][\d.]+%, worst drawdown -[\d.]+%\nholding: \+[\d.]+%, /,
  )
})

test.skipIf(!isInstalled)('the ten cells of the notebook run in order', async () => {
  const { cells } = JSON.parse(await readFile(join(root, 'examples/prices.ipynb'), 'utf8')) as {
    cells: { cell_type: string; source: string[] }[]
  }
  expect(cells).toHaveLength(10)
  const program = cells.filter((cell) => cell.cell_type === 'code').map(({ source }) => source.join(''))
  const said = await runPython('-c', program.join('\n'))
  expect(said).toMatch(/^25\d rows, \d credits\nvolatility \d+\.\d%\n +date +value\n/)
  expect(said).toContain('2026-08-18  86.48')
})
