import type { Socket } from 'node:net'

/** More than a parcel of 1,000 entries or its answer can be. */
const LONGEST_LINE = 1_048_576

/** Calls `each` with every line that arrives, until it returns false or a line is too long: then the connection is dropped. */
export function readLines(socket: Socket, each: (line: string) => boolean): void {
  let rest = ''
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    rest += text
    let from = 0
    for (let to = rest.indexOf('\n'); to >= 0; to = rest.indexOf('\n', from)) {
      if (socket.destroyed) return
      if (!each(rest.slice(from, to))) {
        socket.destroy()
        return
      }
      from = to + 1
    }
    rest = rest.slice(from)
    if (rest.length > LONGEST_LINE) socket.destroy()
  })
}

/** The JSON of a line; undefined if it is none. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
