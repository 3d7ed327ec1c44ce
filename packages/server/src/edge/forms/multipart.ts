// Reads the text fields of a small multipart body (RFC 7578) that is already in memory.
import { Fault } from '../../lib/fault.ts'

export interface Field {
  name: string
  value: string
}

const lineEnd = Buffer.from('\r\n')
const headEnd = Buffer.from('\r\n\r\n')

export function readMultipart(body: Buffer, contentType: string): Field[] {
  return partsOf(body, boundaryOf(contentType)).flatMap(part => fieldOf(part) ?? [])
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw malformed('its boundary is missing')
  return boundary
}

/** Returns the parts between the boundaries. Text before the first and after the last boundary is ignored. */
function partsOf(body: Buffer, boundary: string): Buffer[] {
  const mark = Buffer.from(`--${boundary}`, 'latin1')
  const between = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const parts: Buffer[] = []
  let at = body.indexOf(mark)
  if (at < 0 || (at > 0 && !body.subarray(at - 2, at).equals(lineEnd)))
    throw malformed('its boundary is missing')
  at += mark.length
  while (!startsWith(body, at, '--')) {
    const start = skipLineEnd(body, at)
    // If the part is empty, the line end before `start` belongs to the next boundary.
    const end = body.indexOf(between, start - 2)
    if (end < 0) throw malformed('it ends in the middle of a field')
    parts.push(body.subarray(start, Math.max(start, end)))
    at = end + between.length
  }
  return parts
}

/** Returns where the line after a boundary begins. Only spaces and tabs may follow the boundary on its line. */
function skipLineEnd(body: Buffer, from: number): number {
  const end = body.indexOf(lineEnd, from)
  if (end < 0 || !/^[ \t]*$/.test(body.toString('latin1', from, end)))
    throw malformed('a boundary is damaged')
  return end + lineEnd.length
}

const startsWith = (body: Buffer, at: number, text: string): boolean =>
  body.toString('latin1', at, at + text.length) === text

/** Returns the field in a part. `undefined` for a file field that was left empty. Throws a Fault for a file. */
function fieldOf(part: Buffer): Field | undefined {
  const end = part.indexOf(headEnd)
  if (end < 0) throw malformed('a field has no name')
  const head = part.toString('utf8', 0, end)
  const value = part.subarray(end + headEnd.length)
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(head)?.[1]
  const name = parameter(disposition, 'name')
  if (name === undefined) throw malformed('a field has no name')
  const file = parameter(disposition, 'filename')
  if (file === undefined && !/;\s*filename\*/i.test(disposition ?? ''))
    return { name, value: value.toString() }
  if (file === '' && value.length === 0) return undefined
  throw new Fault(
    'invalid_request',
    `Forms accept text only, and '${name.slice(0, 100)}' is a file. Remove the file field.`,
  )
}

/** Returns a parameter of Content-Disposition. Browsers write quotes and line breaks in it as %22, %0D and %0A. */
function parameter(disposition: string | undefined, name: string): string | undefined {
  const [, quoted, plain] =
    // Linear: the name is one of our own words, and a match begins only at a semicolon.
    new RegExp(`(?:^|;)\\s*${name}=(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(disposition ?? '') ?? []
  return (quoted ?? plain)?.replace(/%(22|0D|0A)/gi, code => decodeURIComponent(code))
}

const malformed = (why: string): Fault =>
  new Fault('invalid_request', `The form is not valid multipart/form-data: ${why}.`)
