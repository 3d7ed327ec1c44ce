// The Cache-Control of a file: immutable for a year if its name contains a hash of its content, else revalidated each time.
import { isHashedAsset } from '../core/deployments/hashed-assets.ts'

const forEver = 'public, max-age=31536000, immutable'
const askEachTime = 'public, max-age=0, must-revalidate'

/** The part of a file name between the last dot or dash and the extension. */
const tail = /[.-]([A-Za-z0-9_]{8,})\.[^.]+$/

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'

/** Name parts that look like a hash but are dates or versions, so the content behind the name may change. */
const handwritten = [
  // 20240131T1200, 2024_01_31T120000Z, 20240131a
  /^(?:19|20)\d{2}_?[01]\d_?[0-3]\d(?:_?T?\d*Z?|_?[a-z])$/i,
  // 31Jan2024, jan312024, 2024january31
  // Linear: it cannot backtrack for long, since every repetition is bounded.
  new RegExp(`^\\d{0,4}_?(?:${months})_?\\d{0,2}_?\\d{0,4}$`, 'i'),
  // v20240131, v1_2_3, 1_2_3rc1, version12, release_2024, build1234, 12345678beta2
  /^(?:v|ver|version|rev|revision|r|rel|release|build|rc|alpha|beta)?_?\d+(?:_\d+)*_?(?:(?:a|b|rc|alpha|beta|pre|dev|post|final|snapshot)_?\d*)?$/i,
]

/** `immutable`: the caller knows that the URL contains a hash, even if the path of the file does not. */
export function cacheControl(path: string, immutable = false): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return immutable || hasContentHash(name) || isHashedAsset(path) ? forEver : askEachTime
}

export function hasContentHash(name: string): boolean {
  const hash = tail.exec(name)?.[1]
  if (hash === undefined || !/[A-Za-z]/.test(hash) || !/\d/.test(hash)) return false
  return !handwritten.some(pattern => pattern.test(hash))
}
