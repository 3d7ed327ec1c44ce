// The fields of a submission, from whichever of the three kinds of body they came in.
import { limits } from '@svc/contract'
import type { Fields } from '../../core/forms/intake.ts'
import { Fault } from '../../lib/fault.ts'
import { type Field, readMultipart } from './multipart.ts'

export interface Sent {
  /** Without those that are for the platform. */
  fields: Fields
  /** Where the visitor wants to go next. */
  redirect: string | undefined
  /** The field that people do not see was filled in. */
  isTrapped: boolean
}

type Reader = (body: Buffer, contentType: string) => Fields

const readers: Record<string, Reader> = {
  'application/x-www-form-urlencoded': body =>
    collect([...new URLSearchParams(body.toString())].map(([name, value]) => ({ name, value }))),
  'multipart/form-data': (body, contentType) => collect(readMultipart(body, contentType)),
  'application/json': readJson,
}

const typeOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';')[0]!.trim().toLowerCase()

export const isJson = (contentType: string | undefined): boolean => typeOf(contentType) === 'application/json'

/** Refused before a byte is read. */
export function requireReadable(contentType: string | undefined): void {
  if (!Object.hasOwn(readers, typeOf(contentType)))
    throw new Fault(
      'unsupported_media_type',
      `A form is sent as ${Object.keys(readers)
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1')}.`,
    )
}

export function readFields(body: Buffer, contentType = ''): Sent {
  const { _gotcha, _redirect, ...fields } = readers[typeOf(contentType)]!(body, contentType)
  return {
    fields,
    redirect: typeof _redirect === 'string' ? _redirect : undefined,
    // Where a page has several of them, each is a trap.
    isTrapped: [_gotcha].flat().some(value => ![undefined, null, '', false].includes(value as string)),
  }
}

/** A name that comes more than once, as checkboxes do, has a list of values. */
function collect(pairs: Field[]): Fields {
  if (pairs.length > limits.formFields) throw tooMany()
  const fields = new Map<string, string | string[]>()
  for (const { name, value } of pairs) {
    const before = fields.get(name)
    if (name !== '') fields.set(name, before === undefined ? value : [before, value].flat())
  }
  return Object.fromEntries(fields)
}

/** Deeper than any form, and shallow enough to be written again. */
const deepest = 20

function readJson(body: Buffer): Fields {
  let parsed: unknown
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (cause) {
    throw new Fault('invalid_request', 'The body is not JSON.', { cause })
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Fault('invalid_request', 'The body must be a JSON object, with a key for each field.')
  if (Object.keys(parsed).length > limits.formFields) throw tooMany()
  if (!isShallow(parsed, deepest)) throw new Fault('invalid_request', 'The fields are nested too deeply.')
  return parsed as Fields
}

const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every(inner => isShallow(inner, levels - 1)))

const tooMany = (): Fault =>
  new Fault('invalid_request', `A form may have at most ${limits.formFields} fields.`)
