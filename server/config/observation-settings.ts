import { z } from 'zod'
import { port, setting, url } from './setting.ts'

/** Settings for logs, metrics and traces; part of `settings` in `config.ts`. */
export const observationSettings = {
  LOG_LEVEL: setting(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('warn'),
    'Lowest level of log lines to print. info includes a line for each request.',
    'trace, debug, info, warn, error or silent',
    'warn',
  ),
  SLOW_CALL_MS: setting(
    z.coerce.number().int().min(0).max(60_000).default(1000),
    'Calls that take this long are logged at level warn, with the time of each stage. 0: none are.',
    'a number of milliseconds from 0 to 60000',
    '1000',
  ),
  METRICS_PORT: setting(port.optional(), 'Port of /metrics. Absent: no metrics endpoint.', 'a number from 0 to 65535'),
  METRICS_HOST: setting(
    z.string().default('127.0.0.1'),
    'Address to bind for /metrics. It has no password: choose an address that only your monitoring can reach.',
    'an IP address or host name',
    '127.0.0.1',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    url.optional(),
    'OpenTelemetry collector that receives a span for each request, as OTLP over HTTP with JSON. Absent: no spans. Other standard OpenTelemetry variables, such as OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, also apply.',
    'a URL such as http://localhost:4318',
  ),
  OTEL_TRACES_SAMPLER: setting(
    z
      .enum([
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ])
      .default('parentbased_always_on'),
    'Which requests get spans. parentbased_...: as the caller decided in traceparent, if it was sent.',
    'always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off or parentbased_traceidratio',
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    z.coerce.number().min(0).max(1).default(1),
    'The fraction of requests that get spans, for the samplers with traceidratio.',
    'a number from 0 to 1',
    '1',
  ),
}
