import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '#server/config/config.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
const dir = temporaryFolder()

/** The environment in which the script would run `npm start`. */
function startedWith(given: Record<string, string>): Record<string, string> {
  writeFileSync(join(dir, 'npm'), '#!/bin/sh\n[ "$1" = start ] && env\n', { mode: 0o755 })
  const { status, stdout } = spawnSync('bash', [join(root, '.devcontainer/start.sh')], {
    encoding: 'utf8',
    env: { PATH: `${dir}:/usr/bin:/bin`, ...given },
  })
  expect(status).toBe(0)
  return Object.fromEntries(stdout.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2)))
}

test('in a hosted editor the server gets its forwarded address, and starts as a trial', () => {
  const env = startedWith({ CODESPACE_NAME: 'calm-owl', GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN: 'app.github.dev' })
  const config = loadConfig({ ...env, NODE_ENV: 'development' })
  expect(config).toMatchObject({ PUBLIC_URL: 'https://calm-owl-3000.app.github.dev', sandbox: true })
  expect(config.providers.github).toMatchObject({ sandbox: true, localOrigin: 'http://localhost:3000' })
})

test('on a machine of its own the container starts like a laptop', () => {
  expect(startedWith({})).not.toHaveProperty('PUBLIC_URL')
})

test('the container runs commands that exist, on the port that the server uses', () => {
  const container = read('.devcontainer/devcontainer.json')
  expect(Object.keys(read('package.json').scripts)).toContain(container.onCreateCommand.replace('npm run ', ''))
  expect(container.postAttachCommand.server).toBe('bash .devcontainer/start.sh')
  expect(container.forwardPorts).toEqual([loadConfig({}).PORT])
})
