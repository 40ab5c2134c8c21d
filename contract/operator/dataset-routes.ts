import { z } from 'zod'
import { act, anyRole, operatorRoute, ownerOnly } from './route.ts'

const time = z.iso.datetime()
const datasetId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/)

export const publishedDataset = z.object({
  id: datasetId,
  name: z.string(),
  kind: z.string(),
  version: z.string(),
  /** When the version was written. */
  written_at: time,
  /** Every version that is kept, newest first. */
  versions: z.array(z.string()),
  rows: z.int(),
  first: z.string(),
  last: z.string(),
  redistribution: z.string(),
  plans: z.array(z.string()),
  /** When a connector last read the source without finding anything wrong; null: no connector keeps it. */
  retrieved_at: time.nullable(),
  /** Older than this, it is stale; null: nobody promised. */
  stale_after_hours: z.number().nullable(),
  stale: z.boolean(),
})

export const dataConnector = z.object({
  name: z.string(),
  title: z.string(),
  license: z.string(),
  redistribution: z.string(),
  /** When servers fetch it if it is scheduled, as a crontab line in UTC. */
  crontab: z.string(),
  scheduled: z.boolean(),
  contact: z.string().nullable(),
  contact_required: z.boolean(),
  /** The setting with the key of a vendor; null: none is needed. */
  key: z.string().nullable(),
  /** Whether this server has that setting. */
  has_key: z.boolean(),
  data_as_of: time.nullable(),
  last_run: z
    .object({
      finished_at: time,
      outcome: z.enum(['published', 'unchanged', 'refused', 'failed', 'stopped']),
      reasons: z.array(z.string()),
      rows: z.int(),
    })
    .nullable(),
})

const finding = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning']),
  count: z.int(),
  examples: z.array(z.string()),
})
const upload = {
  /** As in `datasets/<id>.yaml`, without `source`: that is the file. */
  manifest: z.record(z.string(), z.unknown()),
  /** The file itself, a CSV. */
  csv: z.string().min(1),
}

/** The operator's own data: what is served, what connectors fetch, and an upload with a check first. */
export const datasetRoutes = {
  listDatasets: operatorRoute({
    method: 'GET',
    path: '/operator/api/datasets',
    roles: anyRole,
    summary: 'Published datasets, and the sources of current data',
    status: 200,
    data: z.object({ datasets: z.array(publishedDataset), connectors: z.array(dataConnector) }),
    errors: [],
  }),
  checkDataset: operatorRoute({
    method: 'POST',
    path: '/operator/api/datasets/check',
    roles: ownerOnly,
    summary: 'Reads a CSV and says what is wrong with it. It stores nothing',
    body: z.object(upload),
    status: 200,
    data: z.object({ rows: z.int(), first: z.string(), last: z.string(), findings: z.array(finding) }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required'],
  }),
  addDataset: operatorRoute({
    method: 'POST',
    path: '/operator/api/datasets',
    roles: ownerOnly,
    fresh: true,
    summary: 'Imports a CSV as the next version of a dataset, and serves it',
    body: act.extend(upload),
    status: 200,
    data: z.object({ dataset: publishedDataset }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'conflict'],
  }),
  publishDataset: operatorRoute({
    method: 'POST',
    path: '/operator/api/datasets/{id}/publish',
    roles: ownerOnly,
    fresh: true,
    summary: 'Serves a version that is kept, an earlier one too',
    params: z.object({ id: datasetId }),
    body: act.extend({ version: z.string().regex(/^\d{14}-[0-9a-f]{8}$/) }),
    status: 200,
    data: z.object({ dataset: publishedDataset }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'not_found', 'conflict'],
  }),
  scheduleConnector: operatorRoute({
    method: 'POST',
    path: '/operator/api/connectors/{name}/schedule',
    roles: ownerOnly,
    fresh: true,
    summary: 'Turns fetching by the servers on or off',
    params: z.object({ name: z.string().regex(/^[a-z]{1,40}$/) }),
    body: act.extend({ on: z.boolean(), contact: z.email().max(254).nullable() }),
    status: 200,
    data: z.object({ connector: dataConnector }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'not_found', 'conflict'],
  }),
}
