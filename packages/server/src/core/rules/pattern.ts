// The path patterns of `_redirects` and `_headers`: plain paths, `:placeholder` for a segment, `*` for the rest.

export interface Pattern {
  /** Whether it is a plain path, which can be looked up instead of tried. */
  isStatic: boolean
  /** The pattern without a slash at its end. */
  text: string
  /** The values of its placeholders, with `splat` for `*`; undefined where the path is another. */
  match(path: string): Record<string, string> | undefined
}

/** In a pattern a placeholder is a whole segment; in a target it may stand anywhere. */
const segment = /(?<=\/):([A-Za-z_]\w*)(?=\/|$)/g
const placeholder = /:([A-Za-z_]\w*)/g

/** A pattern, or what is wrong with it. */
export function readPattern(text: string): Pattern | string {
  if (!text.startsWith('/')) return 'the path must begin with /'
  const star = text.indexOf('*')
  if (star >= 0 && star !== text.length - 1) return '* is allowed only at the end of the path'
  const plain = withoutSlash(decoded(text))
  const names = [...plain.matchAll(segment)].map(([, name]) => name!)
  if (star >= 0) names.push('splat')
  if (names.length === 0)
    return {
      isStatic: true,
      text: plain,
      match: (path: string) => (withoutSlash(path) === plain ? {} : undefined),
    }
  if (new Set(names).size < names.length) return 'a placeholder is used twice'
  const expression = expressionOf(plain, star >= 0)
  return {
    isStatic: false,
    text: plain,
    match: (path: string) => {
      const found = expression.exec(path)
      return found
        ? { ...found.groups, ...(star >= 0 ? { splat: found.groups?.splat ?? '' } : {}) }
        : undefined
    },
  }
}

/** Paths are compared decoded; a space, for one, can only be written with an escape. */
function decoded(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text // a lone % means itself
  }
}

/** Fills the placeholders of a target; one that the pattern does not have stays as it is. */
export function fill(target: string, values: Record<string, string>): string {
  return target.replace(placeholder, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : whole,
  )
}

/** `/news/*` matches `/news` too, as Netlify has it. Every part is matched in one way only, so that no path is slow. */
function expressionOf(pattern: string, hasStar: boolean): RegExp {
  const body = hasStar ? pattern.slice(0, -1).replace(/\/$/, '') : pattern
  const source = body
    .split(segment)
    .map((part, i) => (i % 2 === 1 ? `(?<${part}>[^/]+)` : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
    .join('')
  const tail = hasStar ? (pattern.endsWith('/*') ? '(?:/(?<splat>.*))?' : '(?<splat>.*)') : '/?'
  // Linear: a placeholder ends at the next slash, and only the last part matches anything.
  return new RegExp(`^${source}${tail}$`, 's')
}

export const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
