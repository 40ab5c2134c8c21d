import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startToolServer, type ToolServer } from '#server/features/tools/testing/tool-server.ts'
import { productTools } from '#server/product-tools.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { launch } from '../../e2e/browser.ts'

const run = promisify(execFile)

/** `SDK_RUNTIMES` names folders that have runtimes besides those of PATH, such as another Node. */
const folders = `${process.env.SDK_RUNTIMES ?? ''}${delimiter}${process.env.PATH}`.split(delimiter).filter(Boolean)
const find = (name: string) => folders.map((folder) => join(folder, name)).find((path) => existsSync(path))

let server: ToolServer
const dir = temporaryFolder()
let bundle: string
beforeAll(async () => {
  server = await startToolServer(productTools)
  const build = await rolldown({ input: join(import.meta.dirname, '../typescript/src/finmeter.gen.ts') })
  const { output } = await build.generate({ format: 'esm' })
  bundle = output[0].code
  await writeFile(join(dir, 'finmeter.mjs'), bundle)
})
afterAll(async () => {
  await server?.close()
})

/** A page, a streamed answer, all pages and an error. */
const use = async (Finmeter: typeof import('../typescript/src/finmeter.gen.ts').Finmeter, key: string, url: string) => {
  const finmeter = new Finmeter({ key, url })
  const { rows, receipt } = await finmeter.getBars({ symbol: 'VIX', limit: 3 })
  let streamed = 0
  for await (const _ of finmeter.getBars({ symbol: 'VIX', range: 'max', limit: 2000 }).stream()) streamed++
  let paged = 0
  for await (const _ of finmeter.getQuote({ symbols: ['VIX', 'SPX'] })) paged++
  const code = await finmeter
    .getBars({ symbol: 'NONE-SUCH' })
    .then(null, (error: unknown) => (error as { code: string }).code)
  return [rows.length, receipt.creditsCharged, streamed, paged, code]
}
const RESULT = [3, 1, 2000, 2, 'unknown_symbol']

for (const [name, ...flags] of [['node'], ['deno', 'run', '--allow-net', '--allow-read'], ['bun']] as const) {
  const program = find(name)
  test.skipIf(!program)(`runs in ${name}`, async () => {
    const { value } = await server.key({ credits: 100 })
    const file = join(dir, `${name}.mjs`)
    const call = `(${use})(Finmeter, '${value}', '${server.url}')`
    await writeFile(file, `import { Finmeter } from './finmeter.mjs'\nconsole.log(JSON.stringify(await ${call}))`)
    const { stdout } = await run(program!, [...flags, file])
    expect(JSON.parse(stdout)).toEqual(RESULT)
  })
}

test('runs in a browser, on a page of the server', async () => {
  const { value } = await server.key({ credits: 100 })
  const browser = await launch()
  try {
    const page = await browser.newPage()
    await page.goto(`${server.url}/terms`)
    const code = bundle.replace(/export \{[^}]*\};?/, '')
    const result = await page.evaluate(
      `(async () => { ${code}; return (${use})(Finmeter, '${value}', location.origin) })()`,
    )
    expect(result).toEqual(RESULT)
  } finally {
    await browser.close()
  }
})
