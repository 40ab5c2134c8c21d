/** npm start: builds the web if it is stale, then becomes the server. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

// A separate process, so that the bundler's memory is freed; messages go to standard error.
const build = spawnSync(process.execPath, [join(import.meta.dirname, 'build-web.ts')], { stdio: ['ignore', 2, 2] })
if (build.status !== 0) {
  console.error('The web could not be built; see above.')
  process.exit(1)
}
await import('#server/main.ts')
