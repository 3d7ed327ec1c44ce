// Schemas that several resources share.
import { z } from 'zod'
import { limits } from '../limits.ts'

export const timestamp = z.iso.datetime().describe('ISO 8601 UTC with milliseconds')
export const email = z.email().max(limits.email)
export const isEmail = (text: string): boolean => email.safeParse(text).success
export const ok = z.object({ ok: z.literal(true) })
// Linear: the prefix is a fixed word of ours.
export const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[a-z0-9]{16}$`))
/** A whole number in a query string. */
export function wholeNumber(range: { min: number; max: number; default: number }) {
  const rule = `must be a whole number from ${range.min} to ${range.max}`
  return z
    .string(rule)
    .regex(/^\d{1,9}$/, rule)
    .transform(Number)
    .refine(n => n >= range.min && n <= range.max, rule)
    .default(range.default)
}

export const page = {
  limit: wholeNumber(limits.page).describe(`Rows per page, ${limits.page.min}–${limits.page.max}`),
  cursor: z.string().max(200).optional().describe('The `next_cursor` of the page before'),
}

export const nextCursor = z
  .string()
  .nullable()
  .describe('Pass as `cursor` for the next page; null on the last')
