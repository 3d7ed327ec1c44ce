// Reads the fields of a form submission from a URL-encoded, multipart or JSON body.
import { limits } from '@svc/contract'
import type { Fields } from '../../core/forms/intake.ts'
import { Fault } from '../../lib/fault.ts'
import { type Field, readMultipart } from './multipart.ts'

interface Sent {
  /** All fields except `_gotcha` and `_redirect`, which are for the platform. */
  fields: Fields
  /** The field `_redirect`: the page that the visitor is redirected to. */
  redirect: string | undefined
  /** Whether the field `_gotcha` was filled in. Visitors do not see this field, so a spam bot sent the form. */
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

/** Throws a Fault if the content type is not supported. To be called before the body is read. */
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
    // A form may have several `_gotcha` fields. It is trapped if any of them was filled in.
    isTrapped: [_gotcha].flat().some(value => ![undefined, null, '', false].includes(value as string)),
  }
}

/** Returns the values by name. A name that is repeated, as with checkboxes, gets a list of values. */
function collect(pairs: Field[]): Fields {
  if (pairs.length > limits.formFields) throw tooMany()
  const fields = new Map<string, string | string[]>()
  for (const { name, value } of pairs) {
    const before = fields.get(name)
    if (name !== '') fields.set(name, before === undefined ? value : [before, value].flat())
  }
  return Object.fromEntries(fields)
}

/** How many levels a JSON body may have. Real forms have fewer. The limit protects `JSON.stringify` from deep recursion. */
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
