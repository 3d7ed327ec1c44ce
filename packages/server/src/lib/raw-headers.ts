// Header fields as Node's `rawHeaders` has them: a flat list that alternates names and values. A name may be repeated. All
// functions take and pass names in lower case, except `fieldsIn`.

type RawHeaders = readonly string[]

/** The values of every field with this name. */
export function valuesIn(headers: RawHeaders, name: string): string[] {
  const values: string[] = []
  for (let i = 0; i < headers.length; i += 2) if (isNamed(headers[i]!, name)) values.push(headers[i + 1]!)
  return values
}

/** The value of the first field with this name. */
export function valueIn(headers: RawHeaders, name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) if (isNamed(headers[i]!, name)) return headers[i + 1]
  return undefined
}

/** Each field, with its name as the sender wrote it. */
export function* fieldsIn(headers: RawHeaders): Generator<[name: string, value: string]> {
  for (let i = 0; i < headers.length; i += 2) yield [headers[i]!, headers[i + 1]!]
}

/** The members of a comma-separated list, in lower case. */
export function membersIn(headers: RawHeaders, name: string): string[] {
  const members = valuesIn(headers, name).flatMap(value => value.split(','))
  return members.map(member => member.trim().toLowerCase()).filter(Boolean)
}

/** A new list without the fields that `isRemoved` chooses. */
export function headersWithout(
  headers: RawHeaders,
  isRemoved: (name: string, value: string) => boolean,
): string[] {
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2)
    if (!isRemoved(headers[i]!.toLowerCase(), headers[i + 1]!)) kept.push(headers[i]!, headers[i + 1]!)
  return kept
}

/** The fields as lines of HTTP/1, each with its line end. */
export function headerLines(headers: RawHeaders): string {
  let text = ''
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`
  return text
}

/** The reverse of `headerLines`, without blanks around the values. */
export function rawHeaders(lines: string): string[] {
  const headers: string[] = []
  for (let at = 0; at < lines.length; ) {
    const colon = lines.indexOf(':', at)
    const end = lines.indexOf('\r', colon)
    headers.push(lines.slice(at, colon), trimmed(lines, colon + 1, end))
    at = end + 2
  }
  return headers
}

/** Compares lengths first, because that is cheaper than changing the case of every name. */
const isNamed = (written: string, name: string): boolean =>
  written.length === name.length && written.toLowerCase() === name

const tab = 0x09
const space = 0x20

/**
 * Returns `text` from `start` to `end` without the spaces and tabs at either end. HTTP allows no other white space
 * around a value.
 */
export function trimmed(text: string, start: number, end: number): string {
  let [from, to] = [start, end]
  while (from < to && isBlank(text.charCodeAt(from))) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

const isBlank = (code: number): boolean => code === space || code === tab
