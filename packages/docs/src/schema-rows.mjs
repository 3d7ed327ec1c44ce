// A JSON schema as rows of a table: the name of each field with the names of those around it, its type, its meaning.

/** `[{ name, type, isRequired, text }]`; a list shows as `name[]`, a choice between shapes as the fields of all of them. */
export function schemaRows(schema, prefix = '', depth = 0) {
  if (depth > 6) return []
  const rows = []
  for (const shape of shapesOf(schema)) {
    for (const [name, field] of Object.entries(shape.properties ?? {}))
      addOnce(rows, fieldRows(`${prefix}${name}`, field, shape.required?.includes(name) ?? false, depth))
    if (shape.items) addOnce(rows, schemaRows(shape.items, `${prefix}[].`, depth + 1))
    if (typeof shape.additionalProperties === 'object' && Object.keys(shape.additionalProperties).length > 0)
      addOnce(rows, fieldRows(`${prefix}<name>`, shape.additionalProperties, false, depth))
  }
  return rows
}

function fieldRows(name, field, isRequired, depth) {
  const shapes = shapesOf(field)
  const items = shapes.flatMap(({ items }) => (items ? shapesOf(items) : []))
  const own = { name, type: typeOf(field), isRequired, text: field.description ?? '' }
  const inside = shapes.filter(shape => shape.properties || typeof shape.additionalProperties === 'object')
  return [
    own,
    ...inside.flatMap(shape => schemaRows({ ...shape, items: undefined }, `${name}.`, depth + 1)),
    ...items.flatMap(item => schemaRows(item, `${name}[].`, depth + 1)),
  ]
}

function addOnce(rows, more) {
  for (const row of more) if (!rows.some(({ name }) => name === row.name)) rows.push(row)
}

const shapesOf = schema => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(shapesOf),
]

export function typeOf(schema) {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(typeOf))].join(' | ')
  if (schema.type === 'array') return `${typeOf(schema.items ?? {})}[]`
  return [schema.type ?? 'any'].flat().join(' | ')
}
