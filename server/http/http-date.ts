let second = 0
let text = ''

/** The current time in the format of the Date header (RFC 9110, 5.6.7), formatted once per second. */
export function httpDate(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    text = new Date(now * 1000).toUTCString()
  }
  return text
}
