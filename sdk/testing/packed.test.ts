import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startToolServer } from '#server/features/tools/testing/tool-server.ts'
import { productTools } from '#server/product-tools.ts'
import { closeAfterTests } from '#server/testing/close-after-tests.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'

const run = promisify(execFile)
const sdk = join(import.meta.dirname, '..')
const python = process.env.SDK_PYTHON ?? '/usr/bin/python3'
const has = (modules: string) => spawnSync(python, ['-c', `import ${modules}`]).status === 0
/** Nothing listens here: what is installed must come from the file. */
const NO_REGISTRY = 'http://127.0.0.1:9/'
const server = await closeAfterTests(startToolServer(productTools))
const { version } = JSON.parse(await readFile(join(sdk, 'typescript/package.json'), 'utf8')) as { version: string }

test('the packed npm file installs into an empty folder and makes a call, without a registry', async () => {
  const [packed, empty] = [temporaryFolder(), temporaryFolder()]
  await run('npm', ['pack', '--pack-destination', packed], { cwd: join(sdk, 'typescript') })
  const env = { ...process.env, npm_config_registry: NO_REGISTRY, npm_config_cache: join(packed, 'cache') }
  await run('npm', ['install', join(packed, `finmeter-${version}.tgz`)], { cwd: empty, env })
  const { value, accountId } = await server.key({ credits: 100 })
  const code = `import { Finmeter } from 'finmeter'
const finmeter = new Finmeter({ key: '${value}', url: '${server.url}' })
let rows = 0
for await (const bar of finmeter.getBars({ symbol: 'AAPL', limit: 5 })) rows++
console.log(rows)`
  await writeFile(join(empty, 'call.mjs'), code)
  expect((await run(process.execPath, ['call.mjs'], { cwd: empty })).stdout).toBe('5\n')
  expect(await server.spending(accountId)).toMatchObject({ rows: 1, credits: 1 })
  const { stdout } = await run(join(empty, 'node_modules/.bin/finmeter'), ['--version'], { cwd: empty })
  expect(stdout).toBe(`${version}\n`)
})

test.skipIf(!has('setuptools, wheel, pip, httpx'))(
  'pip installs from the folder of a git repository and makes a call, without an index',
  { timeout: 240_000 },
  async () => {
    const [repository, target] = [temporaryFolder(), temporaryFolder()]
    await mkdir(join(repository, 'sdk'))
    await cp(join(sdk, 'python'), join(repository, 'sdk/python'), { recursive: true })
    const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
    for (const given of [['init'], ['add', '.'], [...who, 'commit', '-m', 'The library']])
      await run('git', given, { cwd: repository })
    const from = `git+file://${repository}#subdirectory=sdk/python`
    // httpx is installed already; a customer's pip fetches it from the index.
    const alone = ['--no-index', '--no-deps', '--no-build-isolation', '--target', target]
    await run(python, ['-m', 'pip', 'install', ...alone, from], { cwd: target })
    const { value, accountId } = await server.key({ credits: 100 })
    const code = `import finmeter, importlib.metadata
client = finmeter.Finmeter("${value}", "${server.url}")
print(len(list(client.get_bars("AAPL", limit=5))), importlib.metadata.version("finmeter"), finmeter.__file__)`
    const { stdout } = await run(python, ['-c', code], { cwd: target, env: { PYTHONPATH: target } })
    expect(stdout).toBe(`5 ${version} ${target}/finmeter/__init__.py\n`)
    expect(await server.spending(accountId)).toMatchObject({ rows: 1, credits: 1 })
  },
)
