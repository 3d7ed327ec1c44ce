// Finds ids of things that are stored at the provider, anywhere in a JSON body. All users of the gateway share the operator's
// account there, so such an id could open what belongs to somebody else.
import { setImmediate } from 'node:timers/promises'

/** Where a value begins, and what it is if it is a short text. */
interface Value {
  start: string
  text: string | undefined
  /** Whether the object has no other key. */
  isAlone: boolean
}

const isText = ({ start }: Value): boolean => start.startsWith('"')
const isListOfTexts = ({ start }: Value): boolean => /^\[\s{0,20}"/.test(start)

const ofContainer = /^(?:cntr|container)_/

/**
 * Keys whose value is a stored id, and how such a value looks. Definitions of tools may have properties with the same names:
 * their value is a schema, which is an object.
 */
const idKeys: Record<string, (value: Value) => boolean> = {
  file_id: isText,
  file_ids: isListOfTexts,
  vector_store_ids: isListOfTexts,
  container: ({ text = '' }) => ofContainer.test(text),
  // What a model answered earlier may be sent again with its id. An id alone stands for what is stored.
  id: ({ text = '', isAlone }) => (isAlone ? /^[a-z]+_/.test(text) : ofContainer.test(text)),
  // An item without a type is a reference, too.
  type: ({ text, start }) => text === 'item_reference' || start.startsWith('null'),
}

const quote = 34
const colon = 58
const brace = 123
const backslash = 92
/** Every letter of a key may be written as six, such as `\u0066`. */
const longestKey = 2 + 6 * Math.max(...Object.keys(idKeys).map(key => key.length))
const longestText = 200
const scannedAtOnce = 512 * 1024

/** The name of the field with a stored id. Lets other requests run between the parts of a long body. */
export async function storedIdIn(body: Buffer): Promise<string | undefined> {
  let pauseAt = scannedAtOnce
  let start: number | undefined
  for (let at = body.indexOf(quote); at >= 0; at = body.indexOf(quote, at + 1)) {
    if (at > pauseAt) {
      await setImmediate()
      pauseAt = at + scannedAtOnce
    }
    if (start === undefined) start = at
    else if (!isEscaped(body, at)) {
      const found = at - start <= longestKey ? idBehind(body, start, at) : undefined
      if (found !== undefined) return found
      start = undefined
    }
  }
  return undefined
}

function isEscaped(body: Buffer, at: number): boolean {
  let slashes = 0
  while (body[at - 1 - slashes] === backslash) slashes++
  return slashes % 2 === 1
}

/** The name of the key between these quotes, if its value is a stored id. */
function idBehind(body: Buffer, start: number, end: number): string | undefined {
  const after = skipSpace(body, end + 1)
  if (body[after] !== colon) return undefined
  // Some parsers ignore the case of keys.
  const key = parsed(body.toString('utf8', start, end + 1))?.toLowerCase() ?? ''
  if (!Object.hasOwn(idKeys, key)) return undefined
  const from = skipSpace(body, after + 1)
  const begin = body.toString('latin1', from, from + longestText)
  const value = { start: begin, text: textAt(body, from), isAlone: isAlone(body, start, begin) }
  if (!idKeys[key]!(value)) return undefined
  return key === 'type' ? 'item_reference' : key
}

/** Whether a text with this key is all that its object holds. */
function isAlone(body: Buffer, keyStart: number, value: string): boolean {
  let before = keyStart - 1
  while (isSpace(body[before])) before--
  return body[before] === brace && /^"[^"\\]{0,150}"\s{0,20}\}/.test(value)
}

function textAt(body: Buffer, from: number): string | undefined {
  if (body[from] !== quote) return undefined
  let end = body.indexOf(quote, from + 1)
  while (end >= 0 && end - from <= longestText && isEscaped(body, end)) end = body.indexOf(quote, end + 1)
  return end < 0 || end - from > longestText ? undefined : parsed(body.toString('utf8', from, end + 1))
}

function skipSpace(body: Buffer, from: number): number {
  let at = from
  while (isSpace(body[at])) at++
  return at
}

const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9

function parsed(json: string): string | undefined {
  try {
    return String(JSON.parse(json))
  } catch {
    return undefined // Not JSON. The provider says so.
  }
}
