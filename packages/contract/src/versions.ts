// Compares versions of svc by their three numbers.

/** False if one of them is not a version: it may come from another program. */
export function isOlderVersion(version: string, than: string): boolean {
  const [own, theirs] = [numbersOf(version), numbersOf(than)]
  if (!own || !theirs) return false
  const at = own.findIndex((number, i) => number !== theirs[i])
  return at >= 0 && own[at]! < theirs[at]!
}

function numbersOf(version: string): number[] | undefined {
  return /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(version)?.slice(1).map(Number)
}
