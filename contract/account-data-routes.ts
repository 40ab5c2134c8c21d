import { z } from 'zod'
import { auditEntry, auditQuery, dataExport, deletion, deletionRequest } from './account-data.ts'
import { route } from './route.ts'

/** What a person may ask of their account: its log, a copy of everything, its end. */
export const accountDataRoutes = {
  listAudit: route({
    method: 'GET',
    path: '/api/audit',
    auth: 'session',
    summary: 'The audit log of the workspace with the sign-ins of the person who asks, newest first. Owner and admins',
    query: auditQuery,
    status: 200,
    data: z.object({ entries: z.array(auditEntry), nextCursor: z.string().nullable() }),
    errors: ['invalid_parameter', 'forbidden'],
  }),
  listExports: route({
    method: 'GET',
    path: '/api/account/exports',
    auth: 'session',
    summary: 'The exports that the person asked for and that are not over, newest first',
    status: 200,
    data: z.object({ exports: z.array(dataExport) }),
    errors: [],
  }),
  requestExport: route({
    method: 'POST',
    path: '/api/account/exports',
    auth: 'session',
    summary: 'Asks for a copy of everything held about the person; a mail tells when it is ready',
    status: 201,
    data: z.object({ export: dataExport }),
    errors: ['rate_limited'],
  }),
  getDeletion: route({
    method: 'GET',
    path: '/api/account/deletion',
    auth: 'session',
    summary: 'Whether and when the account of the person ends',
    status: 200,
    data: z.object({ deletion }),
    errors: [],
  }),
  requestDeletion: route({
    method: 'POST',
    path: '/api/account/deletion',
    auth: 'session',
    summary: 'Ends the account of the person: keys and plans at once, the data after 14 days',
    body: deletionRequest,
    status: 200,
    data: z.object({ deletion }),
    errors: ['invalid_parameter', 'conflict', 'billing_unavailable'],
  }),
  cancelDeletion: route({
    method: 'DELETE',
    path: '/api/account/deletion',
    auth: 'session',
    summary: 'Keeps the account, as long as the 14 days are not over',
    status: 200,
    data: z.object({ deletion }),
    errors: [],
  }),
} as const
