import { z } from 'zod'
import { setting, url } from './setting.ts'

/**
 * Settings for published datasets in a bucket; part of `settings` in `config.ts`. All but the first are called as the
 * standard clients of AWS call them.
 */
export const dataBucketSettings = {
  DATA_URL: setting(
    z
      .string()
      .regex(/^s3:\/\/[a-z0-9][a-z0-9.-]+(\/[\w.-]+)*$/)
      .optional(),
    'Bucket of S3 for published datasets, with a path in it if you like. Instances that use it need no shared disk. Absent: FINMETER_DATA_DIR/datasets.',
    'an address such as s3://bucket/finmeter',
  ),
  AWS_ENDPOINT_URL_S3: setting(
    url.optional(),
    'Address of the server of DATA_URL, if it is not AWS, such as MinIO or R2.',
    'a URL',
  ),
  AWS_REGION: setting(
    z
      .string()
      .regex(/^[a-z0-9-]+$/)
      .optional(),
    'Region of DATA_URL. Default us-east-1.',
    'a region such as eu-central-1, or auto',
  ),
  AWS_ACCESS_KEY_ID: setting(z.string().optional(), 'Access key of DATA_URL.', 'the access key ID'),
  AWS_SECRET_ACCESS_KEY: setting(z.string().optional(), 'Secret of that access key.', 'the secret access key'),
  AWS_SESSION_TOKEN: setting(z.string().optional(), 'Session token, if that access key is temporary.', 'the token'),
}
