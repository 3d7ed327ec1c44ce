// Writes a source as a path pattern of `_redirects` and `_headers`: plain text, `:placeholder` within a segment, one `*`.
import { mostVariants, type Piece, Untranslatable, type Variant } from './source-pieces.ts'

export interface Pattern {
  /** As written in the file. */
  path: string
  /** The text that replaces each name of the source in the target. */
  values: ReadonlyMap<string, string>
}

/**
 * Some sources need several patterns. Together they match exactly the paths that the source matches. Slashes at the end and
 * empty segments (`//`) may differ, because they make no difference here.
 */
export function patternsOf(variants: readonly Variant[]): Pattern[] {
  const patterns = variants.flatMap(patternsOfVariant)
  if (patterns.length > mostVariants)
    throw new Untranslatable(`it stands for more than ${mostVariants} different paths`)
  return patterns
}

function patternsOfVariant({ pieces, values }: Variant): Pattern[] {
  const trimmed = withoutEndingSlash(pieces)
  const inner = trimmed.findIndex((piece, i) => isWholeInnerWildcard(trimmed, piece, i))
  // `/a/(.*)/b` needs a segment in between, which `/a/*/b` does not. So the first segment gets a placeholder of its own.
  const first = trimmed[inner]
  if (first?.kind === 'any')
    return [
      ...patternsOfVariant({ pieces: trimmed.with(inner, { kind: 'one', name: first.name }), values }),
      write(trimmed.toSpliced(inner, 1, ...firstAndRest(first.name)), withRest(values, first.name)),
    ]
  return [write(trimmed, values)]
}

/** The first segment of a wildcard, and the others. */
export const firstAndRest = (name: string): Piece[] => [
  { kind: 'one', name: `${name}-first` },
  { kind: 'rest', name: `${name}-rest` },
]

export const withRest = (values: Variant['values'], name: string): Variant['values'] =>
  new Map([...values, [name, [{ name: `${name}-first` }, '/', { name: `${name}-rest` }]]])

/** `(.*)` between two slashes. */
function isWholeInnerWildcard(pieces: readonly Piece[], piece: Piece, i: number): boolean {
  const [before, after] = [pieces[i - 1], pieces[i + 1]]
  const follows =
    after !== undefined && (after.kind === 'rest' || (after.kind === 'text' && after.text.startsWith('/')))
  return piece.kind === 'any' && before?.kind === 'text' && before.text.endsWith('/') && follows
}

function withoutEndingSlash(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = []
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (piece.kind === 'text' && last?.kind === 'text')
      merged[merged.length - 1] = { kind: 'text', text: last.text + piece.text }
    else if (piece.kind !== 'text' || piece.text !== '') merged.push(piece)
  }
  const last = merged.at(-1)
  if (last?.kind !== 'text' || !last.text.endsWith('/') || (merged.length === 1 && last.text === '/'))
    return merged
  const text = last.text.slice(0, -1)
  return text === '' ? merged.slice(0, -1) : merged.with(-1, { kind: 'text', text })
}

function write(pieces: readonly Piece[], values: Variant['values']): Pattern {
  const references = new Map<string, string>()
  let path = ''
  let stars = 0
  for (const piece of pieces) {
    const afterName = /:\w+$/.test(path)
    if (piece.kind !== 'text' && references.has(piece.name))
      throw new Untranslatable('a placeholder is used twice')
    if (piece.kind === 'text') path += encodeText(piece.text, afterName)
    else if (piece.kind === 'one') {
      const name = placeholderName(piece.name, references)
      references.set(piece.name, `:${name}`)
      path += `:${name}`
    } else {
      stars++
      references.set(piece.name, ':splat')
      path += piece.kind === 'rest' ? '/*' : '*'
    }
  }
  if (path === '') path = '/'
  if (!path.startsWith('/')) throw new Untranslatable('its path does not begin with /')
  if (stars > 1) throw new Untranslatable('a path can have one wildcard only')
  if (path.split('/').some(segment => (segment.match(/\*|:[A-Za-z]\w*/g) ?? []).length > 1))
    throw new Untranslatable('a segment of a path can have one placeholder only')
  const filled = [...values].map(([name, parts]): [string, string] => [
    name,
    parts.map(part => (typeof part === 'string' ? part : (references.get(part.name) ?? ''))).join(''),
  ])
  return { path, values: new Map([...references, ...filled]) }
}

function placeholderName(name: string, used: ReadonlyMap<string, string>): string {
  return /^[A-Za-z]\w{0,40}$/.test(name) && name !== 'splat' ? name : `p${used.size + 1}`
}

/** Characters that would mean something else in a file of rules. Paths are compared decoded. */
function encodeText(text: string, afterName: boolean): string {
  const encoded = text.replace(/[\s*#?\p{Cc}]|:(?=[A-Za-z])/gu, char =>
    char === '*' ? '%2A' : encodeURIComponent(char),
  )
  return afterName ? encoded.replace(/^\w/, escapeCharacter) : encoded
}

/** `:id` and `x` after it would be read as `:idx`. */
export const escapeCharacter = (char: string): string =>
  `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
