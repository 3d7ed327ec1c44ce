// Finds exported names that no other file imports. Such a name is either dead or needs no `export`.
import { dirname, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/** Packages by the names that others import them with: `@svc/contract/site` → `packages/contract/src/site/index.ts`. */
export function packageEntries(manifests) {
  const entries = new Map()
  for (const { folder, name, exports = {} } of manifests)
    for (const [key, { default: file }] of Object.entries(exports))
      entries.set(join(name, key), join(folder, file))
  return entries
}

/**
 * @param {{ path: string, text: string }[]} files all that export or import
 * @param {Map<string, string>} entries
 * @returns {{ path: string, line: number, name: string, isUsedInside: boolean }[]}
 */
export function unusedExports(files, entries) {
  const modules = new Map(files.map(({ path, text }) => [path, readModule(path, text)]))
  const resolve = (from, specifier) => {
    const target = entries.get(specifier) ?? (specifier.startsWith('.') ? join(dirname(from), specifier) : '')
    return sourceNames(target).find(name => modules.has(name))
  }
  const used = usedNames(modules, resolve)
  return [...modules].flatMap(([path, { exported, text }]) =>
    [...exported]
      .filter(([name]) => !used.has(`${path} ${name}`) && !used.has(`${path} *`))
      .map(([name, { at, local }]) => ({
        path,
        line: text.slice(0, at).split('\n').length,
        name,
        isUsedInside:
          local !== undefined && text.split(new RegExp(`(?<![\\w$])${local}(?![\\w$])`)).length > 2,
      })),
  )
}

/** Programs import what was compiled or bundled; that stands for its source. */
function sourceNames(target) {
  const source = target.replace(/^(packages\/[^/]+)\/(?:dist|bundle)\//, '$1/src/')
  return [source, source.replace(/\.js$/, '.ts'), source.replace(/\.js$/, '.tsx')]
}

/** Follows each import to the file that declares the name. Keys are `<path> <name>`; `*` stands for all names. */
function usedNames(modules, resolve) {
  const used = new Set()
  const use = (from, specifier, name) => {
    const path = resolve(from, specifier)
    const key = `${path} ${name}`
    if (path === undefined || used.has(key)) return
    used.add(key)
    const { exported, forwarded } = modules.get(path)
    const source = exported.get(name)?.source
    if (source) return use(path, source.specifier, source.name)
    if (name === '*')
      for (const { source } of exported.values()) if (source) use(path, source.specifier, source.name)
    if (!exported.has(name)) for (const other of forwarded) use(path, other, name)
  }
  for (const [path, { imported }] of modules)
    for (const { specifier, name } of imported) use(path, specifier, name)
  return used
}

function readModule(path, text) {
  const lang = path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js'
  const module = { text, exported: new Map(), forwarded: [], imported: [] }
  const tree = parseAst(text, { lang }, path)
  for (const node of tree.body) readers[node.type]?.(node, module)
  visit(tree, [], (node, parents) => {
    const specifier = node.source?.value
    if (node.type === 'ImportExpression' && specifier !== undefined)
      for (const name of namesTaken(parents)) module.imported.push({ specifier, name })
    if (node.type === 'TSImportType' && specifier !== undefined)
      module.imported.push({ specifier, name: node.qualifier?.name ?? '*' })
  })
  return module
}

const nameOf = node => node.name ?? node.value

const readers = {
  ImportDeclaration({ specifiers, source }, { imported }) {
    for (const { type, imported: name } of specifiers)
      imported.push({
        specifier: source.value,
        name: type === 'ImportNamespaceSpecifier' ? '*' : name ? nameOf(name) : 'default',
      })
  },
  ExportAllDeclaration({ source, exported: name, start }, { exported, forwarded }) {
    if (name) exported.set(nameOf(name), { at: start, source: { specifier: source.value, name: '*' } })
    else forwarded.push(source.value)
  },
  ExportDefaultDeclaration({ start }, { exported }) {
    exported.set('default', { at: start })
  },
  ExportNamedDeclaration({ declaration, specifiers, source, start }, { exported }) {
    for (const { local, exported: name } of specifiers)
      exported.set(nameOf(name), {
        at: name.start,
        ...(source && { source: { specifier: source.value, name: nameOf(local) } }),
      })
    for (const name of declaredNames(declaration)) exported.set(name, { at: start, local: name })
  },
}

function declaredNames(declaration) {
  if (!declaration) return []
  if (declaration.id) return [nameOf(declaration.id)]
  return (declaration.declarations ?? []).flatMap(({ id }) => boundNames(id))
}

function boundNames(pattern) {
  if (pattern.type === 'Identifier') return [pattern.name]
  const parts = pattern.properties?.map(({ value }) => value) ?? pattern.elements ?? []
  return parts.filter(Boolean).flatMap(boundNames)
}

/** What is taken from `await import('…')`: the member or the destructured names, or all where that cannot be seen. */
function namesTaken(parents) {
  const [waiting, holder] = parents.slice(-2).reverse()
  if (waiting?.type !== 'AwaitExpression') return ['*']
  if (holder?.type === 'ParenthesizedExpression') return namesTaken([...parents.slice(0, -2), waiting])
  if (holder?.type === 'MemberExpression' && !holder.computed) return [holder.property.name]
  if (holder?.type === 'VariableDeclarator' && holder.id.type === 'ObjectPattern')
    return holder.id.properties.map(({ key }) => (key ? nameOf(key) : '*'))
  return ['*']
}

function visit(node, parents, act) {
  if (node === null || typeof node !== 'object') return
  const isNode = typeof node.type === 'string'
  if (isNode) act(node, parents)
  const above = isNode ? [...parents, node] : parents
  for (const part of Object.values(node)) visit(part, above, act)
}
