import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { UpstreamDocs } from '../../../scripts/docs/upstream-pages.ts'
import { pathOf } from '../../http/error-handler.ts'
import { type StoredDocument, sendDocument } from './stored-document.ts'

/** An upstream may have a thousand operations, of which few are read. */
const MOST_KEPT = 200

/** Makes a page or, for a path that ends in `.md`, its Markdown. */
type Make = (docs: UpstreamDocs, path: string) => StoredDocument

/** Sends a page of an upstream, by its path; the not-found page if there is none. */
export type SendPage = (address: string, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Serves the pages of what is published now: one for each upstream, one for each of its operations. They come and go with the upstreams,
 * so their routes have parameters.
 */
export function serveUpstreamPages(app: FastifyInstance, current: () => Promise<UpstreamDocs>, make: Make): SendPage {
  let kept: { of: UpstreamDocs; documents: Map<string, StoredDocument> } | undefined
  const send: SendPage = async (address, request, reply) => {
    const docs = await current()
    if (!docs.paths.includes(address.replace(/\.md$/, ''))) {
      reply.callNotFound()
      return reply
    }
    if (kept?.of !== docs) kept = { of: docs, documents: new Map() }
    const { documents } = kept
    const document = documents.get(address) ?? make(docs, address)
    if (documents.size >= MOST_KEPT) documents.delete(documents.keys().next().value!)
    documents.set(address, document)
    return sendDocument(document, request, reply)
  }
  const answer = (request: FastifyRequest, reply: FastifyReply) =>
    send(pathOf(request).replace(/\/$/, ''), request, reply)
  for (const folder of ['reference', 'upstreams'])
    for (const end of ['', '/']) app.get(`/docs/${folder}/:name${end}`, { exposeHeadRoute: true }, answer)
  return send
}
