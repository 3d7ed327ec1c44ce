// Validation by the contract's schemas; the message names the field.
import type { z } from 'zod'
import { Fault } from '../lib/fault.ts'

export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return storable(result.data)
  const issue = result.error.issues[0]
  const field = issue?.path.map(String).join('.').slice(0, 100)
  const problem = issue?.message ?? 'is not valid'
  throw new Fault(
    'invalid_request',
    field ? `${field}: ${problem}` : `The body must be a JSON object. ${problem}`,
  )
}

/** PostgreSQL keeps no NUL, and UTF-8 has no half characters: what comes in must be what comes out. */
export const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text)

function storable<T>(value: T): T {
  for (const [field, part] of Object.entries(value as object)) {
    const texts = Array.isArray(part) ? part : [part]
    if (!texts.every(text => typeof text !== 'string' || isStorable(text)))
      throw new Fault('invalid_request', `${field}: must be Unicode text without NUL`)
  }
  return value
}
