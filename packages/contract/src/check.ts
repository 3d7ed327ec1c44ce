// Checks a value by a schema of the contract, and says in plain words which field breaks which rule.
import { z } from 'zod'

type Checked<T> = { ok: true; value: T } | { ok: false; problem: string }

/** The parts of a JSON schema that error messages describe. */
interface Rule {
  type?: string | string[]
  format?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Rule[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Rule
  properties?: Record<string, Rule>
  additionalProperties?: Rule | boolean
}

type Path = readonly PropertyKey[]

export function check<S extends z.ZodType>(schema: S, value: unknown): Checked<z.output<S>> {
  // A schema's own message wins over this empty one, which replaces zod's.
  const result = schema.safeParse(value, { error: () => '' })
  if (result.success) return { ok: true, value: result.data }
  const { path = [], message = '' } = result.error.issues[0] ?? {}
  if (path.length === 0) return { ok: false, problem: message || 'The body must be a JSON object.' }
  return { ok: false, problem: `${nameOf(path)}: ${message || brokenRule(schema, path, value)}` }
}

/** Writes a path as `paths[0]`. */
const nameOf = (path: Path): string =>
  path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : joined(name, part)),
    '',
  )

const joined = (name: string, part: PropertyKey): string => (name ? `${name}.${String(part)}` : String(part))

function brokenRule(schema: z.ZodType, path: Path, value: unknown): string {
  const rule = wordsOf(ruleAt(ruleOf(schema), path))
  return valueAt(value, path) === undefined ? `is missing; it must be ${rule}` : `must be ${rule}`
}

const rules = new WeakMap<z.ZodType, Rule>()

function ruleOf(schema: z.ZodType): Rule {
  const known = rules.get(schema)
  if (known) return known
  const rule = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Rule
  rules.set(schema, rule)
  return rule
}

function ruleAt(root: Rule, path: Path): Rule {
  let rule = root
  for (const part of path) {
    const options = rule.anyOf ?? [rule]
    const next = options
      .map(({ properties, items, additionalProperties }) =>
        typeof part === 'number' ? items : (properties?.[String(part)] ?? ofRecord(additionalProperties)),
      )
      .find(found => found !== undefined)
    if (!next) return {}
    rule = next
  }
  return rule
}

/** The rule of every value of a record. */
const ofRecord = (rule: Rule | boolean | undefined): Rule | undefined =>
  typeof rule === 'object' ? rule : undefined

function valueAt(root: unknown, path: Path): unknown {
  let value = root
  for (const part of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[part]
  return value
}

/** The words after `must be`: `a whole number from 1 to 3650, or null`. */
function wordsOf(rule: Rule): string {
  if (rule.anyOf) return rule.anyOf.map(wordsOf).join(', or ')
  if (rule.const !== undefined) return quoted(rule.const)
  if (rule.enum) return choice(rule.enum.map(String))
  const words = [rule.type ?? []].flat().map(type => kinds[type]?.(rule))
  return words.filter(Boolean).join(', or ') || 'of another form'
}

const kinds: Record<string, (rule: Rule) => string> = {
  string: ({ format, minLength, maxLength }) =>
    format === 'email' ? 'an email address' : `text${range(minLength, maxLength, ' of', 'character')}`,
  integer: ({ minimum, maximum }) => `a whole number${range(safe(minimum), safe(maximum), '')}`,
  number: ({ minimum, maximum }) => `a number${range(minimum, maximum, '')}`,
  boolean: () => 'true or false',
  array: ({ minItems, maxItems }) => `a list${range(minItems, maxItems, ' of', 'item')}`,
  object: () => 'an object',
  null: () => 'null',
}

/** Drops the bounds that zod adds to every whole number, because they are not rules of the field. */
const safe = (bound: number | undefined): number | undefined =>
  bound !== undefined && Math.abs(bound) === Number.MAX_SAFE_INTEGER ? undefined : bound

/** ` of 4 to 128 characters`, ` of at most 200 characters`; of numbers ` from 1 to 3650`. */
function range(min: number | undefined, max: number | undefined, of: string, unit?: string): string {
  if (min === undefined && max === undefined) return ''
  const units = unit ? ` ${unit}${(max ?? min) === 1 ? '' : 's'}` : ''
  if (max === undefined) return `${of} at least ${min}${units}`
  if (min === undefined) return `${of} at most ${max}${units}`
  if (min === max) return `${of} ${max}${units}`
  return `${unit ? of : ' from'} ${min} to ${max}${units}`
}

const choice = (words: string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

const quoted = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value))
