/**
 * Writes the client libraries from the registry. `typescript --out <folder>` or `python --out <folder>` writes a whole package,
 * `--from <address or file>` for the OpenAPI document of another installation. Without a language it updates the generated
 * files in `sdk/` and those of the snippets; `--check` only compares them.
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { productTools } from '#server/product-tools.ts'
import { currentApi } from './release/current-api.ts'
import { type ApiModel, type OpenapiDocument, readModel } from './sdk/api-model.ts'
import { pythonModule } from './sdk/python.ts'
import { type RowTypes, rowTypes } from './sdk/row-types.ts'
import { snippetModule } from './sdk/snippets.ts'
import { clientModule, operationsModule } from './sdk/typescript.ts'

const root = join(import.meta.dirname, '..')
type Files = Record<string, string>
const languages: Record<string, { write: (model: ApiModel, rows: RowTypes) => Files; kept: string[] }> = {
  typescript: {
    write: (model, rows) => ({
      'src/operations.gen.ts': operationsModule(model, rows),
      'src/finmeter.gen.ts': clientModule(model),
    }),
    kept: ['package.json', 'tsconfig.json', 'tsconfig.cli.json', 'README.md', 'LICENSE', 'src'],
  },
  python: {
    write: (model, rows) => ({ 'finmeter/_operations_gen.py': pythonModule(model, rows) }),
    kept: ['pyproject.toml', 'README.md', 'LICENSE', 'finmeter'],
  },
}

/** Files that state the version of both libraries: sdk/typescript/package.json has it, whatever the server's version is. */
const stamped: Record<string, { file: string; version: RegExp }> = {
  typescript: { file: 'package.json', version: /(?<="version": ")[^"]*/ },
  python: { file: 'pyproject.toml', version: /(?<=^version = ")[^"]*/m },
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, from: { type: 'string' }, check: { type: 'boolean', default: false } },
})
const [language] = positionals
if (language === undefined) await update(values.check)
else await writePackage(language, values.out, values.from)

/** The generated files of this repository. */
async function update(onlyCheck: boolean): Promise<void> {
  const [model, rows] = await ownModel()
  const { version } = JSON.parse(await readFile(join(root, 'sdk/typescript/package.json'), 'utf8'))
  for (const [name, { write }] of Object.entries(languages)) {
    const { file: manifest, version: place } = stamped[name]!
    const stated = await readFile(join(root, 'sdk', name, manifest), 'utf8')
    const files = { ...write(model, rows), [manifest]: stated.replace(place, version) }
    for (const [file, text] of Object.entries(files)) await updateFile(`sdk/${name}/${file}`, text, onlyCheck)
  }
  await updateFile('web/features/snippets/library.gen.ts', snippetModule(model), onlyCheck)
}

async function updateFile(file: string, text: string, onlyCheck: boolean): Promise<void> {
  const path = join(root, file)
  if (!onlyCheck) return writeFile(path, text)
  if (text === (await readFile(path, 'utf8').catch(() => ''))) return
  console.error(`${file} does not match the registry or the version: run npm run sdk`)
  process.exitCode = 1
}

async function writePackage(name: string, out: string | undefined, from: string | undefined): Promise<void> {
  const chosen = languages[name]
  if (!chosen) throw new Error(`There is no library for ${name}. Choose one of: ${Object.keys(languages).join(', ')}.`)
  if (!out) throw new Error(`Name the folder to write: npm run sdk -- ${name} --out <folder>`)
  const [model, rows] = from ? ([readModel(await readDocument(from)), new Map()] as const) : await ownModel()
  await mkdir(out, { recursive: true })
  for (const file of chosen.kept) await cp(join(root, 'sdk', name, file), join(out, file), { recursive: true })
  for (const [file, text] of Object.entries(chosen.write(model, rows))) await writeFile(join(out, file), text)
  console.log(`${model.operations.length} operations written to ${out}`)
}

async function ownModel(): Promise<[ApiModel, RowTypes]> {
  return [readModel(currentApi() as unknown as OpenapiDocument), await rowTypes(productTools)]
}

async function readDocument(from: string): Promise<OpenapiDocument> {
  if (!/^https?:/.test(from)) return JSON.parse(await readFile(from, 'utf8'))
  const response = await fetch(from)
  if (!response.ok) throw new Error(`${from} answered ${response.status}.`)
  return response.json()
}
