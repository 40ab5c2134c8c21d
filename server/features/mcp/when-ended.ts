/** The same stream. `then` runs once, when it was read to its end, failed, or was canceled. */
export function whenEnded(stream: ReadableStream<Uint8Array>, then: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  let ended = false
  const end = (): void => {
    if (ended) return
    ended = true
    then()
  }
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        end()
        controller.close()
      } catch (error) {
        end()
        controller.error(error)
      }
    },
    cancel(reason) {
      end()
      return reader.cancel(reason)
    },
  })
}
