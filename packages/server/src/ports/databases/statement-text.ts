// The text of a statement without its values. pg_stat_statements leaves them in where it did not see the statement parsed, and in
// comments, and those who may see statements may not all see data.

/** How a statement begins that reads or writes rows. Others, such as `alter role`, hold values that are no parameters. */
const ofRows = /^(select|insert|update|delete|merge|with|values|table)\b/i
const nameStart = /[\p{L}_]/u
const namePart = /[\p{L}\p{N}_$]/u
const tag = /^\$([\p{L}_][\p{L}\p{N}_]*)?\$/u
const longestTag = 66

/** `undefined` for other statements than those that read and write rows. `text` may have been cut off. */
export function withoutValues(text: string): string | undefined {
  let shown = ''
  for (let at = 0; at < text.length; ) {
    const { end, as } = pieceAt(text, at)
    shown += as
    at = end
  }
  const words = shown.replace(/\s+/g, ' ').trim()
  return ofRows.test(words.replace(/^[( ]+/, '')) ? words : undefined
}

interface Piece {
  end: number
  as: string
}

function pieceAt(text: string, at: number): Piece {
  const here = text[at]!
  if (text.startsWith('--', at)) return { end: after(text, '\n', at), as: ' ' }
  if (text.startsWith('/*', at)) return { end: endOfComment(text, at), as: ' ' }
  if (here === "'") return stringAt(text, at, false)
  if (here === '"') {
    const end = after(text, '"', at + 1)
    return { end, as: text.slice(at, end) }
  }
  if (here === '$') return parameterOrString(text, at)
  if (nameStart.test(here)) return nameAt(text, at)
  if (/\d/.test(here)) return { end: endOf(text, at, /[\d.\p{L}_]/u), as: '?' }
  return { end: at + 1, as: here }
}

function nameAt(text: string, at: number): Piece {
  const end = endOf(text, at, namePart)
  const name = text.slice(at, end)
  // E'…' is the one kind of string in which a backslash means something.
  if (/^e$/i.test(name) && text[end] === "'") return stringAt(text, end, true)
  return { end, as: name }
}

function stringAt(text: string, at: number, hasEscapes: boolean): Piece {
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') {
      // What it means here depends on a setting of the session, so nothing behind it is certain.
      if (!hasEscapes) return { end: text.length, as: '? …' }
      end++
    } else if (text[end] === "'") {
      if (text[end + 1] !== "'") return { end: end + 1, as: '?' }
      end++
    }
  }
  return { end: text.length, as: '? …' }
}

/** `$1`, or a string such as `$$…$$`. */
function parameterOrString(text: string, at: number): Piece {
  const [quote] = tag.exec(text.slice(at, at + longestTag)) ?? []
  if (quote !== undefined) return { end: after(text, quote, at + quote.length), as: '?' }
  const end = endOf(text, at + 1, /\d/)
  return { end, as: text.slice(at, end) }
}

/** Comments may hold comments. */
function endOfComment(text: string, at: number): number {
  let depth = 0
  for (let end = at; end < text.length; ) {
    if (text.startsWith('/*', end)) depth++
    else if (text.startsWith('*/', end)) depth--
    else {
      end++
      continue
    }
    end += 2
    if (depth === 0) return end
  }
  return text.length
}

function after(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from)
  return found === -1 ? text.length : found + what.length
}

function endOf(text: string, from: number, part: RegExp): number {
  let end = from
  while (end < text.length && part.test(text[end]!)) end++
  return end
}
