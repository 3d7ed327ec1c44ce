// Validates requests by the schemas of the contract. The message names the field.
import { check } from '@svc/contract'
import type { z } from 'zod'
import { Fault } from '../lib/fault.ts'

export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = check(schema, value)
  if (!result.ok) throw new Fault('invalid_request', result.problem)
  return storable(result.value)
}

/** Whether a database returns the text unchanged: PostgreSQL stores no NUL, and UTF-8 cannot write lone surrogates. */
export const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text)

function storable<T>(value: T): T {
  for (const [field, part] of Object.entries(value as object)) {
    const texts = Array.isArray(part) ? part : [part]
    if (!texts.every(text => typeof text !== 'string' || isStorable(text)))
      throw new Fault('invalid_request', `${field}: must be Unicode text without NUL`)
  }
  return value
}
