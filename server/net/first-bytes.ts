/** The first `mostBytes` of a response's body, without its encoding. `whole`: there were no more. What is left is not read. */
export async function firstBytes(
  { body }: Response,
  mostBytes: number,
): Promise<{ bytes: Buffer<ArrayBuffer>; whole: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > mostBytes) break
  }
  return { bytes: Buffer.concat(chunks, Math.min(size, mostBytes)), whole: size <= mostBytes }
}
