import { expect, test } from 'vitest'
import { packageSetProblems } from './package-sets.ts'

const manifest = {
  scripts: {
    start: 'node scripts/bootstrap.mjs scripts/start.ts',
    test: 'node scripts/bootstrap.mjs --all scripts/test.ts',
  },
  dependencies: { node: '24.0.0', pg: '8.0.0', react: '19.0.0' },
  devDependencies: { vitest: '5.0.0', ink: '1.0.0' },
}
const module = (source: string, ...imports: string[]) => ({
  source,
  dependencies: imports.map((resolved) => ({ resolved, dependencyTypes: ['npm'] })),
})
const inOrder = [
  module('scripts/start.ts', 'server/main.ts'),
  module('server/main.ts', 'node_modules/pg/index.js', 'scripts/start.ts'),
  module('web/main.tsx', 'node_modules/react/index.js'),
  module('web/main.test.ts', 'node_modules/vitest/index.js'),
  module('scripts/test.ts', 'node_modules/vitest/index.js', 'node_modules/ink/index.js'),
]

test('what start and the web import is in dependencies, what tests import is not', () => {
  expect(packageSetProblems(manifest, inOrder)).toEqual([])
})

test('a package of tests that start imports, however far away, is a problem; its types alone are not', () => {
  const typed = {
    source: 'web/a.ts',
    dependencies: [{ resolved: 'node_modules/ink/a.d.ts', dependencyTypes: ['type-only'] }],
  }
  expect(packageSetProblems(manifest, [...inOrder, typed])).toEqual([])
  const far = [
    module('server/main.ts', 'node_modules/pg/index.js', 'server/a.ts'),
    module('server/a.ts', 'node_modules/ink/index.js'),
  ]
  expect(packageSetProblems(manifest, [...inOrder, ...far])).toEqual([
    'ink is in devDependencies, but npm start runs server/a.ts, which imports it',
  ])
})

test('a package that only tests import is a problem in dependencies', () => {
  const dependencies = { ...manifest.dependencies, vitest: '5.0.0' }
  expect(packageSetProblems({ ...manifest, dependencies, devDependencies: {} }, inOrder)).toEqual([
    'vitest is in dependencies, but nothing that npm start runs imports it',
  ])
})
