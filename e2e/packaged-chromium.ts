import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import packaged from '@sparticuz/chromium'

const home = join(import.meta.dirname, '../node_modules/@sparticuz/chromium/unpacked')

/**
 * The Chromium from npm, unpacked once, and a fontconfig file that adds its font to the machine's: without any font
 * Chromium exits. The package's own flags are for cloud functions (single process, no same-origin policy): such a
 * browser crashes in tests, and proves less.
 */
export async function packagedChromium(): Promise<{ executablePath: string; fontconfig: string }> {
  if (!existsSync(home)) await unpack()
  return { executablePath: join(home, 'chromium'), fontconfig: join(home, 'fonts.conf') }
}

/** Unpacks into a folder of this process first, so that other processes never see a partial file. */
async function unpack(): Promise<void> {
  const own = `${home}.${process.pid}`
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'fonts.conf'), fontconfig)
  const tmp = process.env.TMPDIR
  // The package always unpacks into the temporary folder.
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
