import { z } from 'zod'
import { setting } from './setting.ts'

/** Settings for calls that leave the database; part of `settings` in `config.ts`. */
export const usageArchiveSettings = {
  USAGE_HOT_DAYS: setting(
    // Alerts sum the calls of up to a month themselves, and rows are deleted after 400 days.
    z.coerce.number().int().min(35).max(399).optional(),
    'Days for which calls stay in the database. Older days move to USAGE_ARCHIVE as Parquet files. Absent: no day moves.',
    'a number from 35 to 399',
  ),
  USAGE_ARCHIVE: setting(
    z
      .string()
      .regex(/^(\/.*[^/]|https?:\/\/[^/?#@]+(\/[\w.-]+)+)$/)
      .optional(),
    'Where archived days are kept: a folder that all servers share, or the address of an S3 bucket, with a path in it if you like. Keep it set as long as there are archived days.',
    'an absolute path, or a URL such as https://s3.eu-central-1.amazonaws.com/bucket/finmeter',
  ),
  USAGE_ARCHIVE_S3_KEY_ID: setting(z.string().optional(), 'Access key of the S3 bucket.', 'the access key ID'),
  USAGE_ARCHIVE_S3_SECRET: setting(z.string().optional(), 'Secret of that access key.', 'the secret access key'),
  USAGE_ARCHIVE_S3_REGION: setting(
    z
      .string()
      .regex(/^[a-z0-9-]+$/)
      .optional(),
    'Region of the S3 bucket, if its address does not say it. Default us-east-1.',
    'a region such as eu-central-1, or auto',
  ),
}
