import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A text that is the same for every visitor, with its compressed forms, each made when a client first asks for it. */
export interface StoredDocument {
  type: string
  etag: string
  /** For pages: their content security policy. */
  policy?: string
  plain: Buffer
  br: () => Buffer
  gzip: () => Buffer
}

const BROTLI_QUALITY = 9

export function storeDocument(text: string, type: string, policy?: string): StoredDocument {
  const plain = Buffer.from(text)
  return {
    type,
    policy,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    br: once(() => brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })),
    gzip: once(() => gzipSync(plain, { level: 9 })),
  }
}

function once(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined
  return () => (made ??= make())
}

/** Sends the document in the best encoding that the client accepts; 304 when the client already has it. */
export function sendDocument(document: StoredDocument, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply
    .header('cache-control', 'no-cache')
    .header('etag', document.etag)
    .header('vary', 'accept, accept-encoding')
    .type(document.type)
  if (document.policy) reply.header('content-security-policy', document.policy)
  if (request.headers['if-none-match'] === document.etag) return reply.code(304).send()
  const accepted = String(request.headers['accept-encoding'] ?? '')
  if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(document.br())
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(document.gzip())
  return reply.send(document.plain)
}
