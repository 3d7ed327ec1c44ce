// The body of a PAX header: records of the form "<length> <key>=<value>\n".
import { corrupt } from './tar-header.ts'

/** The values that replace fields of the header. */
export interface PaxFields {
  path?: Buffer
  size?: number
}

/** Applies the records to `fields`. An empty value removes a field. */
export function applyPax(body: Buffer, fields: PaxFields) {
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(0x20, at)
    const length = decimal(body.subarray(at, space < 0 ? at : space))
    const end = at + length
    const equals = body.indexOf(0x3d, space)
    if (equals < 0 || equals >= end || end > body.length || body[end - 1] !== 0x0a) throw malformed()
    setField(fields, body.toString('latin1', space + 1, equals), body.subarray(equals + 1, end - 1))
    at = end
  }
}

function setField(fields: PaxFields, key: string, value: Buffer) {
  if (key === 'path') fields.path = value.length > 0 ? value : undefined
  else if (key === 'size') fields.size = value.length > 0 ? decimal(value) : undefined
  else if (key.startsWith('GNU.sparse.')) throw sparse()
}

/** A sparse file is stored as a map of its holes. Without support for it, its content would be garbage. */
export function sparse() {
  return corrupt('it holds a sparse file, which is not supported')
}

function decimal(digits: Buffer): number {
  const text = digits.toString('latin1')
  if (!/^[0-9]{1,20}$/.test(text)) throw malformed()
  return Number(text)
}

function malformed() {
  return corrupt('an extended header is malformed')
}
