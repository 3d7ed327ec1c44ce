// .dockerignore: which files a Dockerfile does not get. The last rule that matches a path, or a folder above it, decides.

interface Rule {
  segments: readonly string[]
  keeps: boolean
}

const rulesAtMost = 1_000
const segmentsAtMost = 64

/** Returns whether a path is left out. A folder that is left out may contain files that a later rule keeps. */
export function dockerIgnores(text: string): { (path: string): boolean; keepsSome: boolean } {
  const rules = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .slice(0, rulesAtMost)
    .map(ruleOf)
  const isIgnored = (path: string): boolean => {
    const segments = path.split('/')
    let ignored = false
    for (const { segments: pattern, keeps } of rules)
      if (ignored === keeps && matchesSomeAncestor(pattern, segments)) ignored = !keeps
    return ignored
  }
  return Object.assign(isIgnored, { keepsSome: rules.some(({ keeps }) => keeps) })
}

function ruleOf(line: string): Rule {
  const keeps = line.startsWith('!')
  const segments: string[] = []
  for (const segment of line
    .slice(keeps ? 1 : 0)
    .trim()
    .split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') segments.pop()
    else segments.push(segment)
  }
  return { keeps, segments: segments.slice(0, segmentsAtMost) }
}

/** Whether the pattern matches the path or a folder above it. */
function matchesSomeAncestor(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.length === 0) return false
  // Which lengths of the path the segments of the pattern so far match.
  let reached = new Set([0])
  for (const segment of pattern) {
    const next = new Set<number>()
    for (const at of reached)
      if (segment === '**') for (let end = at; end <= path.length; end++) next.add(end)
      else if (at < path.length && matchesName(segment, path[at] ?? '')) next.add(at + 1)
    reached = next
  }
  // `**` at the end matches what is inside, not the folder itself.
  reached.delete(0)
  return reached.size > 0
}

/** `*`, `?` and `[a-z]` within one name. Remembers the last `*`, so its time is at most the product of both lengths. */
function matchesName(pattern: string, name: string): boolean {
  let [p, n, starAt, resumeAt] = [0, 0, -1, 0]
  while (n < name.length) {
    const step = p < pattern.length && pattern[p] !== '*' ? matchesOne(pattern, p, name[n] ?? '') : undefined
    if (step?.matches) {
      p = step.end
      n++
    } else if (pattern[p] === '*') {
      starAt = p++
      resumeAt = n
    } else if (starAt >= 0) {
      p = starAt + 1
      n = ++resumeAt
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

function matchesOne(pattern: string, at: number, char: string): { matches: boolean; end: number } {
  const first = pattern[at]
  if (first === '?') return { matches: true, end: at + 1 }
  if (first === '\\') return { matches: pattern[at + 1] === char, end: at + 2 }
  const close = first === '[' ? pattern.indexOf(']', at + 2) : -1
  if (close < 0) return { matches: first === char, end: at + 1 }
  const isNegated = pattern[at + 1] === '^'
  const set = pattern.slice(at + (isNegated ? 2 : 1), close)
  return { matches: isInSet(set, char) !== isNegated, end: close + 1 }
}

function isInSet(set: string, char: string): boolean {
  for (let i = 0; i < set.length; i++)
    if (set[i + 1] === '-' && i + 2 < set.length) {
      if ((set[i] ?? '') <= char && char <= (set[i + 2] ?? '')) return true
      i += 2
    } else if (set[i] === char) return true
  return false
}
