import { join, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { S3Access } from '../../net/s3-bucket.ts'

/** A bucket, and a path in it. */
export interface BucketPlace {
  /** Address of both, without a slash at the end. */
  address: string
  access: S3Access
  /** For what only this machine needs. */
  localFolder: string
}

/** Where published versions are stored: a folder or a bucket, which instances behind one load balancer share. */
export type PublishedPlace = string | BucketPlace

type Needs = Pick<Config, 'FINMETER_DATA_DIR'> &
  Partial<
    Pick<
      Config,
      | 'DATA_URL'
      | 'AWS_ENDPOINT_URL_S3'
      | 'AWS_REGION'
      | 'AWS_ACCESS_KEY_ID'
      | 'AWS_SECRET_ACCESS_KEY'
      | 'AWS_SESSION_TOKEN'
    >
  >

const DEFAULT_REGION = 'us-east-1'

/** The folder of versions in the data directory, where they are unless DATA_URL is set. */
export const publishedFolder = ({ FINMETER_DATA_DIR }: Pick<Config, 'FINMETER_DATA_DIR'>): string =>
  join(resolve(FINMETER_DATA_DIR), 'datasets')

export function publishedPlace(config: Needs): PublishedPlace {
  const localFolder = publishedFolder(config)
  if (!config.DATA_URL) return localFolder
  const region = config.AWS_REGION ?? DEFAULT_REGION
  const endpoint = config.AWS_ENDPOINT_URL_S3 ?? `https://s3.${region}.amazonaws.com`
  return {
    address: config.DATA_URL.replace(/^s3:\//, endpoint),
    localFolder,
    access: {
      accessKeyId: config.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: config.AWS_SECRET_ACCESS_KEY ?? '',
      sessionToken: config.AWS_SESSION_TOKEN,
      region,
    },
  }
}
