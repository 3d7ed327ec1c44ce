// Parses JSON and keeps the line of every value, so that an error message can name the line.
export interface Located {
  line: number
  value: string | number | boolean | null | Located[] | LocatedObject
}

export type LocatedObject = Map<string, Located>

/** An error in a file, with its line. */
export class LineError extends Error {
  readonly line: number
  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`)
    this.name = 'LineError'
    this.line = line
  }
}

interface Token {
  text: string
  line: number
}

const deepest = 20
const marks = '{}[],:'
const isSpace = (char: string): boolean => char.trim() === ''

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let line = 1
  for (let at = 0; at < text.length; ) {
    const char = text[at]!
    if (char === '\n') line++
    if (isSpace(char)) {
      at++
      continue
    }
    const end = marks.includes(char) ? at + 1 : char === '"' ? endOfString(text, at) : endOfWord(text, at)
    tokens.push({ text: text.slice(at, end), line })
    at = end
  }
  return tokens
}

/** The position after the closing quote, or the end of the line if the quote is missing. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
    else if (text[at] === '\n') return at
  }
  return text.length
}

function endOfWord(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && !isSpace(text[at]!) && !marks.includes(text[at]!) && text[at] !== '"') at++
  return at
}

export function readLocatedJson(text: string): Located {
  const tokens = tokensOf(text.replace(/^\uFEFF/, ''))
  const lastLine = tokens.at(-1)?.line ?? 1
  let next = 0

  const peek = (): Token => tokens[next] ?? { text: '', line: lastLine }
  const take = (): Token => {
    const taken = peek()
    next++
    return taken
  }
  const expect = (wanted: string): void => {
    const { text: found, line } = take()
    if (found !== wanted) throw unexpected(found, line, `'${wanted}'`)
  }

  /** Calls `item` for each entry and consumes the closing bracket. */
  function entries(closing: '}' | ']', item: () => void): void {
    if (peek().text === closing) return void take()
    for (;;) {
      item()
      const { text: found, line } = take()
      if (found === closing) return
      if (found !== ',') throw unexpected(found, line, `',' or '${closing}'`)
    }
  }

  function read(depth: number): Located {
    const { text: found, line } = take()
    if (depth > deepest) throw new LineError(line, 'too many brackets, nested too deeply')
    if (found === '[') {
      const value: Located[] = []
      entries(']', () => value.push(read(depth + 1)))
      return { line, value }
    }
    if (found !== '{') return { line, value: scalar(found, line) }
    const value: LocatedObject = new Map()
    entries('}', () => {
      const key = take()
      if (!key.text.startsWith('"')) throw unexpected(key.text, key.line, 'a name in double quotes')
      const name = String(scalar(key.text, key.line))
      if (value.has(name)) throw new LineError(key.line, `'${name}' appears twice`)
      expect(':')
      value.set(name, { ...read(depth + 1), line: key.line })
    })
    return { line, value }
  }

  const whole = read(0)
  if (next < tokens.length) throw unexpected(peek().text, peek().line, 'the end of the file')
  return whole
}

function scalar(text: string, line: number): string | number | boolean | null {
  try {
    return JSON.parse(text) as string | number | boolean | null
  } catch {
    throw unexpected(text, line, 'a value')
  }
}

const unexpected = (found: string, line: number, wanted: string): LineError =>
  new LineError(
    line,
    `${found === '' ? 'the file ends' : `found ${found.slice(0, 40)}`} where ${wanted} belongs`,
  )
