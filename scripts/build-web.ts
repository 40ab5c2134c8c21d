/**
 * Builds the web into dist/web, and the server renderer of its pages into dist/ssr, if the sources changed since the
 * last build (`--force`: always). Then writes a .br and a .gz file next to every text file, so that the server
 * compresses nothing on request.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const outDir = join(root, 'dist', 'web')
const stampFile = join(root, 'dist', 'web.stamp')

/** Hash of every file that the build reads; node_modules is represented by the lockfile. */
function sourceHash(): string {
  const files = globSync(
    [
      'web/**/*',
      'contract/**/*.ts',
      'vite.config.ts',
      'vite.operator.config.ts',
      'package-lock.json',
      'scripts/build-*.ts',
      // The reference pages are generated from the tools and their example answers.
      'scripts/docs/*.ts',
      'server/features/{tools,market-data}/**/*.ts',
      'server/features/site/openapi*.ts',
      'data/demo/**/*',
    ],
    { cwd: root, withFileTypes: true },
  )
    .filter((entry) => entry.isFile() && !/\.(gen|test)\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const hash = createHash('sha256')
  for (const file of files) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

async function compressAll(): Promise<void> {
  const brotli = promisify(brotliCompress)
  const gz = promisify(gzip)
  const texts = globSync(['dist/web/**/*.{html,js,css,svg,json,txt,md}', 'dist/operator/assets/*.{js,css,svg}'], {
    cwd: root,
  })
  // All at once: Node compresses them in threads, on every core.
  await Promise.all(
    texts.map(async (file) => {
      const path = join(root, file)
      const bytes = readFileSync(path)
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
      const [br, gzipped] = await Promise.all([brotli(bytes, { params }), gz(bytes, { level: 9 })])
      writeFileSync(`${path}.br`, br)
      writeFileSync(`${path}.gz`, gzipped)
    }),
  )
}

/** Returns whether it built. Throws when the build fails; the stamp is written last, so a failed build runs again. */
export async function buildWeb(options: { force?: boolean } = {}): Promise<boolean> {
  const hash = sourceHash()
  const fresh =
    existsSync(join(outDir, 'index.html')) &&
    existsSync(join(root, 'dist/ssr/entry-server.js')) &&
    existsSync(join(root, 'dist/operator/index.html')) &&
    existsSync(stampFile) &&
    readFileSync(stampFile, 'utf8') === hash
  if (fresh && !options.force) return false
  // On a first start, explains the wait of half a minute.
  console.log('Building the web ...')
  // Visitors always get the production build, even from a server with NODE_ENV=development: React would be twice as
  // large.
  const outer = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    await buildAll()
  } finally {
    if (outer === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = outer
  }
  writeFileSync(stampFile, hash)
  return true
}

async function buildAll(): Promise<void> {
  const { build } = await import('vite')
  const configFile = join(root, 'vite.config.ts')
  await build({ configFile, logLevel: 'warn' })
  // The same application for the server, which renders pages with it: one file without external packages.
  await build({
    configFile,
    logLevel: 'warn',
    build: {
      ssr: join(root, 'web/entry-server.tsx'),
      outDir: join(root, 'dist/ssr'),
      manifest: false,
      copyPublicDir: false,
    },
    ssr: { noExternal: true },
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  })
  // The operator's console, which only operators are served.
  await build({ configFile: join(root, 'vite.operator.config.ts'), logLevel: 'warn' })
  const { buildDocs } = await import('./build-docs.ts')
  await buildDocs()
  await compressAll()
}

if (import.meta.main) {
  const built = await buildWeb({ force: process.argv.includes('--force') })
  console.log(built ? 'dist/web built.' : 'dist/web is up to date.')
}
