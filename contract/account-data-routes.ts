import { z } from 'zod'
import { auditEntry, auditQuery, dataExport, deletion, deletionRequest } from './account-data.ts'
import { route } from './route.ts'

/** What a person can do with their account's data: read its log, get a copy, delete it. */
export const accountDataRoutes = {
  listAudit: route({
    method: 'GET',
    path: '/api/audit',
    auth: 'session',
    summary: "The workspace's audit log and the caller's sign-ins, newest first. Owner and admins",
    query: auditQuery,
    status: 200,
    data: z.object({ entries: z.array(auditEntry), nextCursor: z.string().nullable() }),
    errors: ['invalid_parameter', 'forbidden'],
  }),
  listExports: route({
    method: 'GET',
    path: '/api/account/exports',
    auth: 'session',
    summary: "The caller's unexpired exports, newest first",
    status: 200,
    data: z.object({ exports: z.array(dataExport) }),
    errors: [],
  }),
  requestExport: route({
    method: 'POST',
    path: '/api/account/exports',
    auth: 'session',
    summary: "Requests a copy of the caller's data; an email is sent when it is ready",
    status: 201,
    data: z.object({ export: dataExport }),
    errors: ['rate_limited'],
  }),
  getDeletion: route({
    method: 'GET',
    path: '/api/account/deletion',
    auth: 'session',
    summary: "Whether and when the caller's account will be deleted",
    status: 200,
    data: z.object({ deletion }),
    errors: [],
  }),
  requestDeletion: route({
    method: 'POST',
    path: '/api/account/deletion',
    auth: 'session',
    summary: "Deletes the caller's account: keys and plans end at once, data is deleted after 14 days",
    body: deletionRequest,
    status: 200,
    data: z.object({ deletion }),
    errors: ['invalid_parameter', 'conflict', 'billing_unavailable'],
  }),
  cancelDeletion: route({
    method: 'DELETE',
    path: '/api/account/deletion',
    auth: 'session',
    summary: 'Cancels the deletion within the 14 days',
    status: 200,
    data: z.object({ deletion }),
    errors: [],
  }),
} as const
