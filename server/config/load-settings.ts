import { z } from 'zod'
import { setting } from './setting.ts'

const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most)

/** Variables of several processes, of stopping and of heavy load; part of `settings` in `config.ts`. */
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
  EXPORTS_AT_ONCE: setting(
    whole(1, 1000).default(8),
    'Exports (responses of more than 10,000 rows) that one process sends at once. Further ones wait.',
    'a number from 1 to 1000',
    '8',
  ),
  EXPORTS_PER_ACCOUNT: setting(
    whole(1, 1000).default(2),
    'Exports of one account that one process sends at once. Further ones wait.',
    'a number from 1 to 1000',
    '2',
  ),
  EXPORT_WAIT_SECONDS: setting(
    whole(1, 300).default(30),
    'An export that has waited this long gets 503, and nothing is charged.',
    'a number from 1 to 300',
    '30',
  ),
  SHED_MEMORY_MB: setting(
    whole(64, 10_000_000).optional(),
    'Above this much memory, exports get 503; 15 % above, also responses of more than 1,000 rows; 30 % above, every call. Default: 75 % of what the container or machine has.',
    'a number of megabytes from 64',
  ),
  SHED_EVENT_LOOP_MS: setting(
    whole(10, 60_000).default(500),
    'The same, by the average delay of the event loop, in two seconds in a row.',
    'a number of milliseconds from 10 to 60000',
    '500',
  ),
  SHED_UNSENT_MB: setting(
    whole(8, 1_000_000).default(64),
    'Responses of more than 1,000 rows get 503 while this much waits for clients to read it; half of it for one account.',
    'a number of megabytes from 8',
    '64',
  ),
}
