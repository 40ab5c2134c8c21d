import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { checkContents, contents, npmDryRun, packLibraries } from './pack.ts'
import { metadataProblems, readMetadata } from './python-metadata.ts'

const version = JSON.parse(readFileSync('sdk/typescript/package.json', 'utf8')).version as string

test.skipIf(!canImport('setuptools, wheel, httpx'))(
  'both packages are made, and work where nothing else is',
  () => {
    const out = temporaryFolder()
    expect(packLibraries(out, version)).toEqual([
      `finmeter-${version}-py3-none-any.whl`,
      `finmeter-${version}.tar.gz`,
      `finmeter-${version}.tgz`,
    ])
    const provenance = JSON.parse(readFileSync(join(out, 'provenance.json'), 'utf8'))
    expect(provenance).toMatchObject({ version, commit: expect.stringMatching(/^[0-9a-f]{40}$/) })
    expect(Object.values(provenance.sha256)).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f]{64}$/)))
    const wheel = join(out, `finmeter-${version}-py3-none-any.whl`)
    const names =
      'import finmeter, sys; print(finmeter.__file__.startswith(sys.argv[1]), hasattr(finmeter, "Finmeter"))'
    expect(execFileSync('python3', ['-c', names, wheel], { env: { PYTHONPATH: wheel }, encoding: 'utf8' })).toBe(
      'True True\n',
    )
    if (canImport('pip')) {
      const target = join(out, 'installed')
      execFileSync('python3', ['-m', 'pip', 'install', '--no-index', '--no-deps', '--target', target, wheel], {
        stdio: 'pipe',
      })
      expect(execFileSync('python3', ['-c', names, target], { env: { PYTHONPATH: target }, encoding: 'utf8' })).toBe(
        'True True\n',
      )
    }
    const metadata = readMetadata(wheel)
    const readme = readFileSync('sdk/python/README.md', 'utf8')
    expect(metadataProblems(metadata, version, readme)).toEqual([])
    expect(metadataProblems({ ...metadata, Version: ['9.9.9'] }, version, readme)).toEqual([
      `Version is 9.9.9, not ${version}`,
    ])
    const bare = metadataProblems({ Name: ['finmeter'], Summary: ['a\nb'] }, version, readme)
    expect(bare).toHaveLength(9)
    const said = npmDryRun(join(out, `finmeter-${version}.tgz`))
    expect(said).toContain(`finmeter@${version}`)
    expect(said).toContain('dist/finmeter.gen.js')
  },
  240_000,
)

test('a package with too little or too much is refused', () => {
  const whole = [...contents.npm.needs, 'src/finmeter.gen.ts']
  expect(() => checkContents('finmeter-1.0.0.tgz', whole, contents.npm)).not.toThrow()
  expect(() => checkContents('finmeter-1.0.0.tgz', whole.slice(1), contents.npm)).toThrow(
    'finmeter-1.0.0.tgz lacks package.json',
  )
  for (const strange of ['.env', 'dist/credentials.json', 'node_modules/a/index.js', '../evil.js'])
    expect(() => checkContents('finmeter-1.0.0.tgz', [...whole, strange], contents.npm)).toThrow(strange)
})

function canImport(modules: string): boolean {
  try {
    execFileSync('python3', ['-c', `import ${modules}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
