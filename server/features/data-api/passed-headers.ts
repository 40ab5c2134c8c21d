/**
 * Headers of an upstream that never reach a client: those of the connection and of the encoding that was undone, those that say what
 * browsers may do on our address, and all names under which we say something ourselves.
 */
const NOT_PASSED =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|content-encoding|set-cookie2?|www-authenticate|authorization|server|via|date|alt-svc|age|cache-control|pragma|expires|vary|strict-transport-security|content-security-policy.*|x-frame-options|x-content-type-options|referrer-policy|permissions-policy|cross-origin-.*|access-control-.*|clear-site-data|service-worker-allowed|refresh|nel|report-to|reporting-endpoints|sourcemap|x-accel-.*|x-powered-by|x-request-id|x-credits-.*|x-receipt-id|x-next-cursor|ratelimit.*|traceparent|tracestate|finmeter-.*)$/
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
/** Anything else could end the header (RFC 9110, 5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** The headers of an upstream's answer that the client gets. */
export function passedHeaders(headers: Record<string, string>): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase()
    if (NAME.test(name) && VALUE.test(value) && !NOT_PASSED.test(name)) passed[name] = value
  }
  return passed
}
