// Validation by the contract's schemas; the message names the field.
import type { z } from 'zod'
import { Fault } from '../lib/fault.ts'

export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const field = issue?.path.map(String).join('.').slice(0, 100)
  const problem = issue?.message ?? 'is not valid'
  throw new Fault(
    'invalid_request',
    field ? `${field}: ${problem}` : `The body must be a JSON object. ${problem}`,
  )
}
