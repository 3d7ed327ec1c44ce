// The version of svc, which the entry point sets, because only that reads package.json, and the version of the platform.
import { isOlderVersion } from '@svc/contract/versions'

let known = '0.0.0'
let ofPlatform: string | undefined

export const version = (): string => known

export function setVersion(version: string): void {
  known = version
}

/** Called with each answer of the platform. */
export function notePlatformVersion(version: string): void {
  ofPlatform = version
}

/** What to tell the user if the platform is newer than this tool. */
export function updateAdvice(): string | undefined {
  if (ofPlatform === undefined || !isOlderVersion(known, ofPlatform)) return undefined
  // The header may come from another server, so only the numbers are printed.
  const [theirs] = /^\d+\.\d+\.\d+/.exec(ofPlatform) ?? []
  return `svc ${known} is older than the platform, which has version ${theirs}. Update svc: some commands may be missing.`
}
