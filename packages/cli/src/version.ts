// The version of svc, which the entry point sets, because only that reads package.json, and the version of the platform.
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
  const theirs = ofPlatform === undefined ? undefined : numbersOf(ofPlatform)
  const own = numbersOf(known)
  if (theirs === undefined || own === undefined || !isLess(own, theirs)) return undefined
  return `svc ${known} is older than the platform, which has version ${theirs.join('.')}. Update svc: some commands may be missing.`
}

/** The three numbers of a version. `undefined` for anything else: the header may come from another server. */
function numbersOf(version: string): number[] | undefined {
  return /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(version)?.slice(1).map(Number)
}

function isLess(own: readonly number[], theirs: readonly number[]): boolean {
  const at = own.findIndex((number, i) => number !== theirs[i])
  return at >= 0 && own[at]! < theirs[at]!
}
