import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { metadataProblems, readMetadata } from './python-metadata.ts'

const root = join(import.meta.dirname, '../..')

/** Files that a package must have, and the only places where it may have any. */
export const contents = {
  npm: {
    needs: [
      'package.json',
      'README.md',
      'LICENSE',
      'dist/finmeter.gen.js',
      'dist/finmeter.gen.d.ts',
      'dist/cli/main.js',
    ],
    allowed: /^(package\.json|README\.md|LICENSE|(dist|src)\/([\w-]+\/)*[\w.-]+\.(js|ts))$/,
  },
  wheel: {
    needs: ['finmeter/__init__.py', 'finmeter/_operations_gen.py', 'finmeter/py.typed'],
    allowed: /^(finmeter\/(\w+\.py|py\.typed)|finmeter-[\d.]+\.dist-info\/[\w./-]+)$/,
  },
  sdist: {
    needs: ['pyproject.toml', 'README.md', 'LICENSE', 'finmeter/__init__.py', 'finmeter/py.typed'],
    allowed:
      /^(PKG-INFO|setup\.cfg|pyproject\.toml|README\.md|LICENSE|finmeter\/(\w+\.py|py\.typed)|finmeter\.egg-info\/[\w.-]+|tests\/\w+\.py)?$/,
  },
}

/**
 * Packs both client libraries, whose version is `version`, into `out`, checks what is in them, and writes `provenance.json`: the commit, the tools, and the
 * SHA-256 of each file. Needs npm, and Python with setuptools and wheel. Throws an Error that says what is wrong.
 */
export function packLibraries(out: string, version: string): string[] {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const commit = run('git', ['rev-parse', 'HEAD'], root)
  // Of the commit, so that the same commit gives the same files.
  const env = { ...process.env, SOURCE_DATE_EPOCH: run('git', ['log', '-1', '--format=%ct'], root) }
  run('npm', ['pack', '--pack-destination', out], join(root, 'sdk/typescript'), env)
  packPython(out, env)
  const files = readdirSync(out).sort()
  for (const [file, kind] of kindsOf(version)) {
    if (!files.includes(file)) throw new Error(`${file} was not made; there are ${files.join(', ')}`)
    checkContents(file, listFiles(join(out, file), kind), contents[kind])
    if (kind === 'wheel') checkMetadata(join(out, file), version)
  }
  const started = run(process.execPath, [
    join(unpack(join(out, `finmeter-${version}.tgz`)), 'dist/cli/main.js'),
    '--version',
  ])
  if (started !== version) throw new Error(`The packed command line says that it is ${started}`)
  const digest = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(out, file)))
      .digest('hex')
  const provenance = {
    version,
    commit,
    changed: run('git', ['status', '--porcelain'], root) !== '',
    tools: { node: process.version, npm: run('npm', ['--version']), python: run('python3', ['--version']) },
    sha256: Object.fromEntries(files.map((file) => [file, digest(file)])),
  }
  writeFileSync(join(out, 'provenance.json'), `${JSON.stringify(provenance, null, 2)}\n`)
  return files
}

const kindsOf = (version: string): [string, keyof typeof contents][] => [
  [`finmeter-${version}.tgz`, 'npm'],
  [`finmeter-${version}-py3-none-any.whl`, 'wheel'],
  [`finmeter-${version}.tar.gz`, 'sdist'],
]

/** By the hooks of PEP 517, which the standard front ends call, too. In a copy, because setuptools leaves files behind. */
function packPython(out: string, env: NodeJS.ProcessEnv): void {
  const copy = mkdtempSync(join(tmpdir(), 'finmeter-python-'))
  cpSync(join(root, 'sdk/python'), copy, { recursive: true, filter: (path) => !/__pycache__|\.egg-info/.test(path) })
  for (const kind of ['wheel', 'sdist'])
    run('python3', ['-c', `import sys, setuptools.build_meta as b; b.build_${kind}(sys.argv[1])`, out], copy, env)
  rmSync(copy, { recursive: true })
}

/** Throws for a file that is missing or does not belong there. */
export function checkContents(
  file: string,
  found: string[],
  { needs, allowed }: { needs: string[]; allowed: RegExp },
): void {
  const missing = needs.filter((one) => !found.includes(one))
  const strange = found.filter((one) => !allowed.test(one))
  if (missing.length > 0) throw new Error(`${basename(file)} lacks ${missing.join(', ')}`)
  if (strange.length > 0) throw new Error(`${basename(file)} has files that do not belong there: ${strange.join(', ')}`)
}

function checkMetadata(path: string, version: string): void {
  const readme = readFileSync(join(root, 'sdk/python/README.md'), 'utf8')
  const problems = metadataProblems(readMetadata(path), version, readme)
  if (problems.length > 0) throw new Error(`${basename(path)} has wrong metadata: ${problems.join('; ')}`)
}

/** What `npm publish` would do with the packed library, in npm's words. Publishes nothing. */
export function npmDryRun(path: string): string {
  const { status, stderr } = spawnSync(
    'npm',
    ['publish', '--dry-run', '--access', 'public', '--loglevel', 'notice', path],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(`npm would not publish ${basename(path)}:\n${stderr}`)
  return stderr.trim()
}

/** Paths inside, without the folder that archives of npm and Python begin with. */
function listFiles(path: string, kind: keyof typeof contents): string[] {
  if (kind === 'wheel') {
    const script = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))'
    return run('python3', ['-c', script, path]).split('\n')
  }
  return run('tar', ['-tzf', path])
    .split('\n')
    .filter((one) => !one.endsWith('/'))
    .map((one) => one.slice(one.indexOf('/') + 1))
}

function unpack(path: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'finmeter-npm-'))
  run('tar', ['-xzf', path, '-C', folder])
  return join(folder, 'package')
}

function run(command: string, args: string[], cwd = root, env = process.env): string {
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}
