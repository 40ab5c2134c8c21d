import { dirname, join, relative, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

const root = join(import.meta.dirname, '../..')

/** The programs of build/: each becomes build/<name>.js. */
export const programs = {
  main: 'server/main.ts',
  admin: 'server/cli/admin.ts',
  backup: 'server/cli/backup.ts',
  billing: 'server/cli/billing.ts',
  data: 'server/cli/data.ts',
  doctor: 'server/cli/doctor.ts',
  migrate: 'server/cli/migrate.ts',
  restore: 'server/cli/restore.ts',
  upstream: 'server/cli/upstream.ts',
  shop: 'server/cli/shop.ts',
}

/** graphile-worker looks with it for settings in files above the current and the home directory, and runs what it finds. */
const cosmiconfig = 'export const cosmiconfigSync = () => ({ search: () => null })'

/** They name files beside themselves only for what this product does not use: log transports, PDF/A, stack traces. */
const harmless = [
  'node_modules/ioredis/built/Command.js',
  'node_modules/pdfkit/js/pdfkit.node.mjs',
  'node_modules/pino/lib/transport.js',
  'node_modules/thread-stream/index.js',
  'node_modules/undici/index.js',
]

/**
 * Bundles every program with its packages into `outDir`, with source maps beside the files. Returns the packages' folders.
 * Messages name the commands of a build unless `npmCommands`. Throws when a package reads files beside itself and is not
 * known to work without them.
 */
export async function bundlePrograms(
  outDir: string,
  { input = programs, npmCommands = false }: { input?: Record<string, string>; npmCommands?: boolean } = {},
): Promise<string[]> {
  const packages = new Set<string>()
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external: ['pg-native'],
    plugins: [placesOfSources(packages, npmCommands)],
    onLog(level, log) {
      if (level === 'warn') throw new Error(`rolldown: ${log.message}`)
    },
  })
  await bundle.write({
    dir: outDir,
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Names stay, so that stack traces read well; white space and comments would cost a running server 20 MB.
    minify: { compress: false, mangle: false, codegen: true },
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await bundle.close()
  return [...packages].sort()
}

/**
 * Modules find their files (migrations, pages, data) beside themselves. The bundle has those files at the same paths, one
 * folder above the chunks, so each module is told where it was. Likewise, messages name the commands of a build.
 */
function placesOfSources(packages: Set<string>, npmCommands: boolean): Plugin {
  return {
    name: 'places-of-sources',
    resolveId: (id) => (id === 'cosmiconfig' ? '\0cosmiconfig' : null),
    load: (id) => (id === '\0cosmiconfig' ? cosmiconfig : null),
    transform(code, id) {
      const path = relative(root, id).split(sep).join('/')
      const inPackage = /^node_modules\/((?:@[^/]+\/)?[^/]+)\/(?:.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/)?/.exec(path)
      if (inPackage) {
        packages.add(inPackage[0])
        if (/\b__dirname\b|\b__filename\b|import\.meta\.(url|dirname|filename)/.test(code) && !harmless.includes(path))
          throw new Error(`${path} reads files beside itself: see scripts/build/bundle.ts`)
        // Its fonts are loaded by a function that no bundler knows as require.
        const loadable = path.endsWith('pdfkit.node.mjs') ? code.replaceAll("require$1('", "require('") : code
        // Node keeps every map in memory: three quarters of them would be of packages.
        return { code: loadable, map: { mappings: '' } }
      }
      const place = `(import.meta.dirname + ${JSON.stringify(`/../${dirname(path)}`)})`
      const url = `new URL(${JSON.stringify(`../${path}`)}, import.meta.url).href`
      const placed = code.replaceAll('import.meta.dirname', place).replaceAll('import.meta.url', url)
      // What the operator is told to run; there is no npm beside a build.
      const moved = npmCommands
        ? placed
        : placed.replace(
            /npm run (admin|backup|billing|data|doctor|migrate|restore|shop|upstream)( --(?= ))?/g,
            'node build/$1.js',
          )
      // Lines stay where they are, so that the maps need no change.
      return moved === code ? null : { code: moved, map: null }
    },
  }
}
