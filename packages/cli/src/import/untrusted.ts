// Reads values of unknown shape: the configuration files and API answers of other platforms may hold anything.

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value if it is an object, else an object without fields. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The value if it is a text that is not empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export const textsOf = (value: unknown): string[] =>
  listOf(typeof value === 'string' ? [value] : value).filter(item => typeof item === 'string')
