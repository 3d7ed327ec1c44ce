// Finds files that import each other, also by way of others and also for types alone.
import { dirname, join } from 'node:path'
import { importsOf } from './import-rules.mjs'

/**
 * One cycle for each file that an import closes one at, as paths: `[a, b, a]`.
 * @param {{ path: string, text: string }[]} files
 */
export function cyclesOf(files) {
  const imports = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter(specifier => specifier.startsWith('.'))
        .map(specifier => join(dirname(path), specifier)),
    ]),
  )
  const cycles = []
  const done = new Set()
  const way = []
  const visit = path => {
    const start = way.indexOf(path)
    if (start >= 0) cycles.push([...way.slice(start), path])
    if (start >= 0 || done.has(path)) return
    way.push(path)
    for (const target of imports.get(path) ?? []) visit(target)
    way.pop()
    done.add(path)
  }
  for (const path of imports.keys()) visit(path)
  return cycles
}
