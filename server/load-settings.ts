import { z } from 'zod'
import { setting } from './setting.ts'

const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most)

/** Variables of stopping and of heavy load; part of `settings` in `config.ts`. */
export const loadSettings = {
  SHUTDOWN_SECONDS: setting(
    whole(1, 3600).default(25),
    'The server ends at most this long after SIGTERM, whatever hangs. Set less than what your service manager waits (Kubernetes 30, systemd 90, Docker 10).',
    'a number from 1 to 3600',
    '25',
  ),
  DRAIN_SECONDS: setting(
    whole(0, 3599).default(0),
    'After SIGTERM, /readyz answers 503 for this long before the server stops listening, so that a load balancer notices. Part of SHUTDOWN_SECONDS.',
    'a number from 0 to 3599',
    '0',
  ),
}
