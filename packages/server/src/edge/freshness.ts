// How long a file may be kept by caches: for ever where its name carries a hash of its content.
import { isHashedAsset } from '../core/deployments/hashed-assets.ts'

const forEver = 'public, max-age=31536000, immutable'
const askEachTime = 'public, max-age=0, must-revalidate'

/** What stands before the extension, after the last dot or dash. */
const tail = /[.-]([A-Za-z0-9_]{8,})\.[^.]+$/

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'

/** Tails with letters and digits that people write themselves, so that the same name may get another content. */
const handwritten = [
  // 20240131T1200, 2024_01_31T120000Z, 20240131a
  /^(?:19|20)\d{2}_?[01]\d_?[0-3]\d(?:_?T?\d*Z?|_?[a-z])$/i,
  // 31Jan2024, jan312024, 2024january31
  // Linear: everything in it is bounded.
  new RegExp(`^\\d{0,4}_?(?:${months})_?\\d{0,2}_?\\d{0,4}$`, 'i'),
  // v20240131, v1_2_3, 1_2_3rc1, version12, release_2024, build1234, 12345678beta2
  /^(?:v|ver|version|rev|revision|r|rel|release|build|rc|alpha|beta)?_?\d+(?:_\d+)*_?(?:(?:a|b|rc|alpha|beta|pre|dev|post|final|snapshot)_?\d*)?$/i,
]

/** `immutable`: known already, since the file lies elsewhere than where visitors ask for it. */
export function cacheControl(path: string, immutable = false): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return immutable || hasContentHash(name) || isHashedAsset(path) ? forEver : askEachTime
}

export function hasContentHash(name: string): boolean {
  const hash = tail.exec(name)?.[1]
  if (hash === undefined || !/[A-Za-z]/.test(hash) || !/\d/.test(hash)) return false
  return !handwritten.some(pattern => pattern.test(hash))
}
