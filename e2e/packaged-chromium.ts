import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import packaged from '@sparticuz/chromium'

const home = join(import.meta.dirname, '../node_modules/@sparticuz/chromium/unpacked')

/**
 * The Chromium that ships in npm, unpacked once, and the fontconfig file that finds its typeface beside the machine's: without any,
 * Chromium ends. The package's own flags are for a cloud function (one process for everything, no same-origin rule): tests
 * in such a browser crash, and prove less.
 */
export async function packagedChromium(): Promise<{ executablePath: string; fontconfig: string }> {
  if (!existsSync(home)) await unpack()
  return { executablePath: join(home, 'chromium'), fontconfig: join(home, 'fonts.conf') }
}

/** By way of a folder of this process: whoever unpacks at the same time never sees half a file. */
async function unpack(): Promise<void> {
  const own = `${home}.${process.pid}`
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'fonts.conf'), fontconfig)
  const tmp = process.env.TMPDIR
  // The package unpacks into the temporary folder, and has no parameter for it.
  process.env.TMPDIR = own
  try {
    await packaged.executablePath()
  } finally {
    if (tmp === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = tmp
  }
  await rename(own, home).catch(() => rm(own, { recursive: true }))
}

const fontconfig = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(home, 'fonts')}</dir>
  <cachedir>${join(home, 'fonts-cache')}</cachedir>
</fontconfig>
`
