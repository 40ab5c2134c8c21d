import { z } from 'zod'

/** Which page: the privacy policy or the terms of service. */
export const legalPageName = z.object({ page: z.enum(['privacy', 'terms'], 'must be privacy or terms') })

/** A legal page of this installation. `html` is made by the server from Markdown and holds no scripts. */
export const legalPage = z.object({ page: legalPageName.shape.page, title: z.string(), html: z.string() })
export type LegalPage = z.infer<typeof legalPage>
