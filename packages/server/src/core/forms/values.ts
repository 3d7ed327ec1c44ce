// The values of a submission as text.

/** One line or several for a list of choices; what is no text, number or list of these is written as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every(item => typeof item !== 'object' || item === null))
    return value.map(textOf).join('; ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
