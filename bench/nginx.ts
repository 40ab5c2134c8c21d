import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Runs nginx with `http` as the content of its http block until `stop`. Its files are in `dir`. Resolves when `ready`
 * responds. Throws if nginx is not installed or refuses the configuration.
 */
export async function startNginx(
  dir: string,
  http: string,
  ready: () => Promise<boolean>,
): Promise<{ stop: () => Promise<void> }> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${dir}/${name};`)
    .join(' ')
  const file = join(dir, 'nginx.conf')
  await writeFile(
    file,
    `daemon off; pid ${dir}/pid; error_log ${dir}/error.log; worker_processes 1; worker_rlimit_nofile 8192;
events { worker_connections 4096; } http { ${temporary}\n${http}\n}`,
  )
  const nginx = spawn('nginx', ['-c', file, '-p', dir], { stdio: ['ignore', 2, 2] })
  const ended = new Promise<string>((done) => {
    nginx.once('error', ({ message }) => done(message))
    nginx.once('exit', (code) => done(`code ${code}`))
  })
  const until = async (): Promise<null> => {
    while (!(await ready().catch(() => false))) await new Promise((done) => setTimeout(done, 50))
    return null
  }
  const failure = await Promise.race([ended, until()])
  if (failure !== null) throw new Error(`nginx does not start: ${failure}`)
  return {
    stop: async () => {
      nginx.kill()
      await ended
    },
  }
}
