import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UpstreamDocs } from '../../../scripts/docs/upstream-pages.ts'
import { type StoredDocument, sendDocument } from './stored-document.ts'

/** An upstream may have a thousand operations, of which few are read. */
const MOST_KEPT = 200

/** Makes a page or, for a path that ends in `.md`, its Markdown. */
type Make<T> = (now: T, path: string) => StoredDocument

/** Sends a page of an upstream, by its path; the not-found page if there is none. */
export type SendPage = (address: string, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** The pages of what is published now: one for each upstream, one for each of its operations. */
export function createUpstreamPages<T extends { docs: UpstreamDocs }>(
  current: () => Promise<T>,
  make: Make<T>,
): SendPage {
  let kept: { of: T; documents: Map<string, StoredDocument> } | undefined
  return async (address, request, reply) => {
    const now = await current()
    if (!now.docs.paths.includes(address.replace(/\.md$/, ''))) {
      reply.callNotFound()
      return reply
    }
    if (kept?.of !== now) kept = { of: now, documents: new Map() }
    const { documents } = kept
    const document = documents.get(address) ?? make(now, address)
    if (documents.size >= MOST_KEPT) documents.delete(documents.keys().next().value!)
    documents.set(address, document)
    return sendDocument(document, request, reply)
  }
}
