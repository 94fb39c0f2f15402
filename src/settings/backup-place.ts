import { path } from './setting-type.ts'
import type { SettingType } from './setting-type.ts'

/** S3 user guide, "General purpose bucket naming rules"; old buckets have upper case and underscores too. */
const IN_BUCKET = /^s3:\/\/([a-z0-9][a-z0-9._-]{2,62})(?:\/+(.*))?$/i

export const BUCKET_NAME = 'a bucket name of 3 to 63 letters, digits, dots, hyphens and underscores'

export function isInBucket(place: string): boolean {
  return /^s3:/i.test(place)
}

export function bucketIn(address: string): { readonly bucket: string; readonly key: string } | null {
  const [, bucket, key = ''] = IN_BUCKET.exec(address) ?? []
  return bucket === undefined ? null : { bucket, key }
}

export function isOtherUrl(place: string): boolean {
  return !isInBucket(place) && /^[a-z][\w+.-]+:\/\//i.test(place)
}

export const backupPlace: SettingType<string> = {
  expected: `a directory, or s3://bucket/prefix with ${BUCKET_NAME}`,
  placeholder: path.placeholder,
  read(text) {
    if (isOtherUrl(text) || (isInBucket(text) && bucketIn(text) === null)) return undefined
    return path.read(text)
  },
}
