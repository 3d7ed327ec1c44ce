// The parts of a rule's source that our rules can express: text, placeholders and wildcards. A source with a choice
// (`:lang(en|de)`, `:page?`) becomes several variants, one for each option.

export type Piece =
  | { kind: 'text'; text: string }
  /** At least one character within a segment. */
  | { kind: 'one'; name: string }
  /** Any characters, slashes included, or none. */
  | { kind: 'any'; name: string }
  /** `/` and any segments after it, or nothing at all: `/:path*`. */
  | { kind: 'rest'; name: string }

export interface Variant {
  pieces: Piece[]
  /** What replaces a name of the source in the target, unless a placeholder of the same name does. */
  values: ReadonlyMap<string, readonly (string | { name: string })[]>
}

/** Why a rule cannot be translated. The message follows a colon. */
export class Untranslatable extends Error {}

/** Limits the variants of one source, because nested choices multiply. Real rules have fewer. */
export const mostVariants = 24

/** What a group in a source may match. */
export type Group =
  | { kind: 'one' | 'any' | 'any1' | 'one0' }
  | { kind: 'choice'; texts: string[] }
  | { kind: 'except'; prefixes: string[]; isOpen: boolean }

const known: Record<string, Group['kind']> = {
  '.*': 'any',
  '.*?': 'any',
  '.+': 'any1',
  '.+?': 'any1',
  '[^/]+': 'one',
  '[^/]+?': 'one',
  '[^\\/]+': 'one',
  '[^\\/]+?': 'one',
  '[^/]*': 'one0',
  '[^\\/]*': 'one0',
}

/** Reads the regular expression of a group, such as `.*` or `en|de`. */
export function readGroup(pattern: string): Group {
  const kind = Object.hasOwn(known, pattern) ? known[pattern] : undefined
  if (kind) return { kind } as Group
  const [, excluded, open] = /^\(\?!([^()]*)\)\.([*+])$/.exec(pattern) ?? []
  if (excluded !== undefined) {
    const prefixes = excluded
      .split('|')
      .map(text => literal(text.replace(/(?:\.\*|\/\.\*)$/, end => end.slice(0, -2))))
    if (prefixes.every(text => text))
      return { kind: 'except', prefixes: prefixes as string[], isOpen: open === '*' }
  }
  const texts = pattern.replace(/^\?:/, '').split('|').map(literal)
  if (texts.every(text => text !== undefined)) return { kind: 'choice', texts: texts as string[] }
  throw new Untranslatable(`a path cannot be limited by the expression (${pattern})`)
}

/**
 * Returns the text that an expression without operators matches, or undefined if it has operators. A dot counts as a plain
 * dot, because that is what people mean in paths such as `favicon.ico`.
 */
export function literal(expression: string): string | undefined {
  let text = ''
  for (let i = 0; i < expression.length; i++) {
    const char = expression[i]!
    const next = expression[i + 1] ?? ''
    const isEscape = char === '\\' && /[^A-Za-z0-9]/.test(next)
    const isDot = char === '.' && !/[*+?{]/.test(next)
    if (!isEscape && !isDot && /[\\^$*+?.()[\]{}|]/.test(char)) return undefined
    text += isEscape ? expression[++i] : char
  }
  return text
}
