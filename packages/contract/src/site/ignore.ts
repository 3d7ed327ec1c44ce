// .svcignore: the files that its rules leave out of an upload. The rules have the syntax of .gitignore. They come from
// strangers, too, so they are not turned into regular expressions, which could take forever.
import { any, matches, type Pattern } from './wildcards.ts'

export const ignoreFile = '.svcignore'

/** Whether the rules leave out an entry of the site. Its folder must not be left out itself. */
export type Ignores = (path: string, isFolder: boolean) => boolean

interface Rule {
  /** One for each segment of a path. */
  pattern: Pattern
  /** Whether the rule brings back what an earlier rule left out. */
  isNegated: boolean
  foldersOnly: boolean
}

/** Reads the rules of one or more files. A later rule wins over an earlier one. */
export function ignoreRules(texts: readonly string[]): Ignores {
  const rules = texts
    .flatMap(text =>
      text
        .replace(/^\uFEFF/, '')
        .split('\n')
        .flatMap(readRule),
    )
    .reverse()
  return (path, isFolder) => {
    const segments = path.split('/')
    const last = rules.find(
      ({ pattern, foldersOnly }) => (isFolder || !foldersOnly) && matches(pattern, segments),
    )
    return last !== undefined && !last.isNegated
  }
}

/** Empty for a comment, a blank line, and a rule that means nothing. */
function readRule(line: string): Rule[] {
  const text = withoutEnd(line)
  if (text === '' || text.startsWith('#')) return []
  const isNegated = text.startsWith('!')
  const rule = isNegated ? text.slice(1) : text
  const foldersOnly = rule.endsWith('/')
  const path = foldersOnly ? rule.slice(0, -1) : rule
  const segments = path.replace(/^\//, '').split('/')
  const parts = segments.map(segment => (/^\*\*+$/.test(segment) ? any : readSegment(segment)))
  if (path === '' || parts.includes(undefined)) return []
  const pattern = parts as Pattern
  // A rule without a slash is for every folder.
  if (!path.includes('/')) pattern.unshift(any)
  // `a/**` is for what is in the folder, and not for the folder.
  if (pattern.at(-1) === any) pattern.push(() => true)
  return [{ pattern, isNegated, foldersOnly }]
}

/** Removes spaces and the carriage return at the end of the line. `\ ` is a space that stays. */
function withoutEnd(line: string): string {
  let end = line.endsWith('\r') ? line.length - 1 : line.length
  while (line[end - 1] === ' ' && line[end - 2] !== '\\') end--
  return line.slice(0, end)
}

/** `undefined` if no name matches: the segment ends within a bracket or after a backslash. */
function readSegment(segment: string): ((name: string) => boolean) | undefined {
  const pattern: Pattern = []
  for (let at = 0; at < segment.length; at++) {
    const char = segment[at]
    if (char === '*') pattern.push(any)
    else if (char === '?') pattern.push(() => true)
    else if (char === '[') {
      const set = readSet(segment, at + 1)
      if (!set) return undefined
      pattern.push(set.has)
      at = set.end
    } else {
      const literal = char === '\\' ? segment[++at] : char
      if (literal === undefined) return undefined
      pattern.push(found => found === literal)
    }
  }
  return name => matches(pattern, name)
}

/** Reads `[abc]`, `[a-z]`, `[!a]` and `[[:digit:]]` from behind the bracket. `end` is where it closes. */
function readSet(text: string, from: number): { has(char: string): boolean; end: number } | undefined {
  const isNegated = text[from] === '!' || text[from] === '^'
  const tests: ((char: string) => boolean)[] = []
  const begin = isNegated ? from + 1 : from
  for (let at = begin; at < text.length; at++) {
    // A bracket that comes first is a member of the set.
    if (text[at] === ']' && at > begin)
      return { has: char => tests.some(test => test(char)) !== isNegated, end: at }
    const named = text.startsWith('[:', at) ? text.indexOf(':]', at) : -1
    if (named >= 0) {
      const test = namedSets.get(text.slice(at + 2, named))
      if (!test) return undefined
      tests.push(char => test.test(char))
      at = named + 1
      continue
    }
    if (text[at] === '\\') at++
    const first = text[at]
    if (first === undefined) return undefined
    let last = first
    if (text[at + 1] === '-' && text[at + 2] !== undefined && text[at + 2] !== ']') {
      at += text[at + 2] === '\\' ? 3 : 2
      last = text[at] ?? ''
    }
    tests.push(char => char === first || (char > first && char <= last))
  }
  return undefined
}

const namedSets = new Map([
  ['alnum', /[A-Za-z0-9]/],
  ['alpha', /[A-Za-z]/],
  ['blank', /[ \t]/],
  ['cntrl', /\p{Cc}/u],
  ['digit', /[0-9]/],
  ['graph', /[!-~]/],
  ['lower', /[a-z]/],
  ['print', /[ -~]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /\s/],
  ['upper', /[A-Z]/],
  ['xdigit', /[A-Fa-f0-9]/],
])
