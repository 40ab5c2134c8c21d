import { expect, test } from 'vitest'
import { type Lockfile, lockfileProblems } from './lockfile.ts'

const manifest = { version: '1.2.0', dependencies: { a: '1.0.0' }, devDependencies: { b: '2.0.0' } }

/** A correct lockfile: `a` needs `c`, which is nested inside it, and `b` has binaries for two platforms. */
const fitting = (): Lockfile => ({
  version: '1.2.0',
  packages: {
    '': { version: '1.2.0', dependencies: { a: '1.0.0' }, devDependencies: { b: '2.0.0' } },
    'node_modules/a': { version: '1.0.0', dependencies: { c: '^1.0.0' } },
    'node_modules/a/node_modules/c': { version: '1.4.0', dependencies: { b: '^2.0.0' } },
    'node_modules/b': { version: '2.0.0', optionalDependencies: { 'b-darwin': '2.0.0', 'b-linux-musl': '2.0.0' } },
    'node_modules/b-darwin': { version: '2.0.0', os: ['darwin'] },
    'node_modules/b-linux-musl': { version: '2.0.0', os: ['linux'], libc: ['musl'] },
  },
})

test('a lockfile that fits has no problem', () => {
  expect(lockfileProblems(manifest, fitting())).toEqual([])
})

test('a binary of another platform must have an entry', () => {
  const lockfile = fitting()
  delete lockfile.packages['node_modules/b-darwin']
  expect(lockfileProblems(manifest, lockfile)).toEqual(['node_modules/b needs b-darwin, which has no entry'])
})

test('a package inside one package is not found from another', () => {
  const lockfile = fitting()
  lockfile.packages['node_modules/b']!.dependencies = { c: '^1.0.0' }
  expect(lockfileProblems(manifest, lockfile)).toEqual(['node_modules/b needs c, which has no entry'])
})

test('versions and direct dependencies are those of package.json', () => {
  const lockfile = fitting()
  lockfile.version = '1.1.0'
  lockfile.packages['']!.dependencies = { a: '1.0.1' }
  delete lockfile.packages['']!.devDependencies
  expect(lockfileProblems(manifest, lockfile)).toEqual([
    'package-lock.json has version 1.1.0, package.json has 1.2.0',
    'a: package.json has 1.0.0, the lockfile 1.0.1',
    'b: package.json has 2.0.0, the lockfile none',
  ])
})

test('a lockfile that npm 10 wrote has lost the C library', () => {
  const lockfile = fitting()
  delete lockfile.packages['node_modules/b-linux-musl']!.libc
  expect(lockfileProblems(manifest, lockfile)).toEqual([
    'node_modules/b-linux-musl has no libc: npm 10 wrote this lockfile; write it with npm 11',
  ])
})
