// Chooses the Cache-Control of a file. If its URL contains a hash of its content, it is immutable for a year. Otherwise
// caches revalidate it each time.
import { isHashedAsset } from '../core/deployments/hashed-assets.ts'

const forEver = 'public, max-age=31536000, immutable'
const askEachTime = 'public, max-age=0, must-revalidate'

/** Captures the part of a file name between the last dot or dash and the extension, if this part may be a hash. */
const tail = /[.-]([A-Za-z0-9_]{8,})\.[^.]+$/

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'

/** Dates and versions, which look like a hash. The content of a file with such a name may change. */
const handwritten = [
  // 20240131T1200, 2024_01_31T120000Z, 20240131a
  /^(?:19|20)\d{2}_?[01]\d_?[0-3]\d(?:_?T?\d*Z?|_?[a-z])$/i,
  // 31Jan2024, jan312024, 2024january31
  // Linear: every repetition is bounded.
  new RegExp(`^\\d{0,4}_?(?:${months})_?\\d{0,2}_?\\d{0,4}$`, 'i'),
  // v20240131, v1_2_3, 1_2_3rc1, version12, release_2024, build1234, 12345678beta2
  /^(?:v|ver|version|rev|revision|r|rel|release|build|rc|alpha|beta)?_?\d+(?:_\d+)*_?(?:(?:a|b|rc|alpha|beta|pre|dev|post|final|snapshot)_?\d*)?$/i,
]

/** Returns the Cache-Control of a file. `immutable` is true if the caller knows that the URL contains a hash. */
export function cacheControl(path: string, immutable = false): string {
  return immutable || isHashedPath(path) ? forEver : askEachTime
}

/** Whether the path contains a hash of the content. It has no slash at its beginning. */
export const isHashedPath = (path: string): boolean =>
  hasContentHash(path.slice(path.lastIndexOf('/') + 1)) || isHashedAsset(path)

export function hasContentHash(name: string): boolean {
  const hash = tail.exec(name)?.[1]
  if (hash === undefined || !/[A-Za-z]/.test(hash) || !/\d/.test(hash)) return false
  return !handwritten.some(pattern => pattern.test(hash))
}
