// The sources of Vercel's rules: path-to-regexp in `redirects`, `rewrites` and `headers`, and plain regular expressions
// in the older `routes`.
import { type Key, parse } from 'path-to-regexp'
import { firstAndRest, withRest } from '../rules/pattern.ts'
import {
  type Group,
  literal,
  mostVariants,
  type Piece,
  readGroup,
  Untranslatable,
  type Variant,
} from '../rules/source-pieces.ts'

export interface Source {
  variants: Variant[]
  /** The names of its groups in order, for `$1` in a target. */
  names: string[]
  /** Prefixes of paths that the source excludes, as in `/((?!api/).*)`. */
  excluded: string[]
}

/** Real sources are shorter. Parsing takes time linear to the length. */
const longest = 1_000

export function readSource(source: string): Source {
  if (source.length > longest) throw new Untranslatable(`its source is longer than ${longest} characters`)
  let tokens: (string | Key)[]
  try {
    tokens = parse(source, { delimiter: '/' })
  } catch {
    throw new Untranslatable('its source is not a valid path pattern')
  }
  return assemble(tokens)
}

function assemble(tokens: readonly (string | Key)[]): Source {
  let variants: Variant[] = [{ pieces: [], values: new Map() }]
  const names: string[] = []
  const excluded: string[] = []
  let hasWildcard = false
  for (const [i, token] of tokens.entries()) {
    if (typeof token === 'string') {
      variants = variants.map(({ pieces, values }) => ({ pieces: [...pieces, text(token)], values }))
      continue
    }
    const name = String(token.name)
    if (token.pattern !== '') names.push(name)
    if (hasWildcard && token.modifier !== '')
      throw new Untranslatable('an optional or repeated part cannot follow a wildcard')
    hasWildcard ||= isWildcard(token)
    variants = variants.flatMap(variant => withToken(variant, token, name))
    excluded.push(...exclusions(tokens, i))
    if (variants.length > mostVariants)
      throw new Untranslatable(`it stands for more than ${mostVariants} different paths`)
  }
  return { variants, names, excluded }
}

/** Whether the group may match several segments. */
const isWildcard = ({ pattern, modifier }: Key): boolean =>
  modifier === '*' || modifier === '+' || /\.[*+]\??$/.test(pattern)

/** Prefixes of paths that a group at the end of a plain path excludes. */
function exclusions(tokens: readonly (string | Key)[], i: number): string[] {
  const token = tokens[i] as Key
  const group = token.pattern.startsWith('(?!') ? readGroup(token.pattern) : undefined
  if (group?.kind !== 'except') return []
  const before = tokens.slice(0, i)
  if (i < tokens.length - 1 || token.modifier !== '' || before.some(other => typeof other !== 'string'))
    throw new Untranslatable(`a path cannot be limited by the expression (${token.pattern})`)
  return group.prefixes.map(prefix => before.join('') + token.prefix + prefix)
}

const text = (text: string): Piece => ({ kind: 'text', text })

/** Extends one variant by a placeholder with its prefix, suffix and modifier. May return several variants. */
function withToken({ pieces, values }: Variant, token: Key, name: string): Variant[] {
  const { prefix, suffix, modifier, pattern } = token
  const add = (more: Piece[]): Variant => ({ pieces: [...pieces, ...more], values })
  const absent = (): Variant => ({ pieces, values: new Map([...values, [name, ['']]]) })
  if (pattern === '') {
    // `{text}?` has no name.
    if (modifier === '*' || modifier === '+') throw new Untranslatable('a text cannot be repeated')
    return [add([text(prefix + suffix)]), ...(modifier === '?' ? [add([])] : [])]
  }
  const group: Group = isDefault(pattern) ? { kind: 'one' } : readGroup(pattern)
  if (modifier === '*' || modifier === '+') {
    if (prefix !== '/' || suffix !== '' || (group.kind !== 'one' && group.kind !== 'any'))
      throw new Untranslatable(`the repetition ${prefix}:${name}${modifier} cannot be written`)
    if (modifier === '*') return [add([{ kind: 'rest', name }])]
    return atLeastOne(add([text('/')]), name)
  }
  const present = withGroup(add([text(prefix)]), group, name).map(variant => ({
    ...variant,
    pieces: [...variant.pieces, text(suffix)],
  }))
  return modifier === '?' ? [...present, absent()] : present
}

/** A whole segment, or several. */
const atLeastOne = ({ pieces, values }: Variant, name: string): Variant[] => [
  { pieces: [...pieces, { kind: 'one', name }], values },
  { pieces: [...pieces, ...firstAndRest(name)], values: withRest(values, name) },
]

function withGroup(variant: Variant, group: Group, name: string): Variant[] {
  const { pieces, values } = variant
  const add = (piece: Piece): Variant => ({ pieces: [...pieces, piece], values })
  const fixed = (value: string): Variant => ({
    pieces: [...pieces, text(value)],
    values: new Map([...values, [name, [value]]]),
  })
  switch (group.kind) {
    case 'one':
      return [add({ kind: 'one', name })]
    case 'one0':
      return [add({ kind: 'one', name }), fixed('')]
    case 'any':
      return [add({ kind: 'any', name })]
    case 'any1': {
      const last = pieces.findLast(piece => piece.kind !== 'text' || piece.text !== '')
      if (last?.kind !== 'text' || !last.text.endsWith('/'))
        throw new Untranslatable('(.+) can be written for whole segments only')
      return atLeastOne(variant, name)
    }
    case 'choice':
      return group.texts.map(fixed)
    case 'except':
      return group.isOpen ? [add({ kind: 'any', name })] : atLeastOne(variant, name)
  }
}

/** What path-to-regexp writes for a placeholder without an expression. */
const isDefault = (pattern: string): boolean =>
  pattern === '[^\\/]+?' || /^\(\?:\(\?!.{1,1000}\)\[\^\\\/\]\)\+\?$/.test(pattern)

/** A regular expression of `routes`, with or without `^` and `$`. */
export function readExpression(expression: string): Source {
  if (expression.length > longest) throw new Untranslatable(`its source is longer than ${longest} characters`)
  const inner = expression.replace(/^\^/, '').replace(/\$$/, '').replace(/\/\?$/, '')
  const tokens: (string | Key)[] = []
  let unnamed = 0
  for (const part of partsOf(inner)) {
    const [, label, grouped] = /^\((?:\?<(\w+)>)?([\s\S]*)\)$/.exec(part) ?? []
    if (grouped !== undefined && !grouped.startsWith('?:')) tokens.push(group(label ?? unnamed++, grouped))
    else if (part === '.*') tokens.push(group(`wild-${tokens.length}`, '.*'))
    else {
      const plain = literal(part)
      if (plain === undefined) throw new Untranslatable(`the expression ${part} cannot be written as a path`)
      tokens.push(plain)
    }
  }
  const source = assemble(tokens)
  return { ...source, names: source.names.filter(name => !name.startsWith('wild-')) }
}

const group = (name: string | number, pattern: string): Key => ({
  name,
  prefix: '',
  suffix: '',
  pattern,
  modifier: '',
})

/** Groups with their parentheses, `.*`, and the text between them. */
function* partsOf(expression: string): Generator<string> {
  let text = ''
  for (let i = 0; i < expression.length; ) {
    const length = expression[i] === '(' ? groupLength(expression, i) : expression.startsWith('.*', i) ? 2 : 0
    if (length === 0) {
      const step = expression[i] === '\\' ? 2 : 1
      text += expression.slice(i, i + step)
      i += step
      continue
    }
    if (text !== '') yield text
    text = ''
    yield expression.slice(i, i + length)
    i += length
  }
  if (text !== '') yield text
}

function groupLength(expression: string, from: number): number {
  let depth = 0
  for (let i = from; i < expression.length; i++) {
    if (expression[i] === '\\') i++
    else if (expression[i] === '(') depth++
    else if (expression[i] === ')' && --depth === 0) return i + 1 - from
  }
  throw new Untranslatable('a group of its source is not closed')
}
