import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Tracer } from '../http/call-record.ts'

/** The settings for spans; OpenTelemetry reads its other variables itself. */
export type TracerConfig = Pick<Config, 'OTEL_TRACES_SAMPLER' | 'OTEL_TRACES_SAMPLER_ARG'>

/** OpenTelemetry's SDK is loaded only here, so that a server without a collector neither loads nor runs any of it. */
export async function openTracer(config: TracerConfig, log: Logger): Promise<Tracer> {
  const { createTracer } = await import('./create-tracer.ts')
  return createTracer(config, log)
}
