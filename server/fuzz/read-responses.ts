export interface Response {
  status: number
  body: string
}

/** Whole responses at the start of what a connection received, and what is left. One character is one byte. */
export function readResponses(received: string): { responses: Response[]; rest: string } {
  const responses: Response[] = []
  let rest = received
  for (;;) {
    const head = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n([\s\S]*?)\r\n\r\n/.exec(rest)
    if (!head) return { responses, rest }
    const status = Number(head[1])
    const fields = `\r\n${head[2]}\r\n`.toLowerCase()
    const length = /\r\ncontent-length: (\d+)\r\n/.exec(fields)?.[1]
    const body = rest.slice(head[0].length)
    if (/\r\ntransfer-encoding: chunked\r\n/.test(fields)) {
      const end = body.indexOf('0\r\n\r\n')
      if (end === -1) return { responses, rest }
      responses.push({ status, body: body.slice(0, end) })
      rest = body.slice(end + 5)
    } else {
      const bytes = length === undefined ? 0 : Number(length)
      if (body.length < bytes) return { responses, rest }
      responses.push({ status, body: body.slice(0, bytes) })
      rest = body.slice(bytes)
    }
  }
}
