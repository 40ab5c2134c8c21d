import { type Logger, pino } from 'pino'
import type { Config } from './config/config.ts'

/** Structured log on standard error, so that standard output carries only what scripts may parse. */
export function createLog(config: Pick<Config, 'LOG_LEVEL'>): Logger {
  return pino(
    { level: config.LOG_LEVEL, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  )
}
