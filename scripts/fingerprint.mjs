// Tells quickly whether files changed: a hash over paths, sizes and modification times, or over contents.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SKIPPED = new Set(['node_modules', 'dist', 'bundle', '.cache', 'data'])

/** Of all files under the paths; what the build makes and what is installed is left out. */
export function fingerprintOfFiles(root, paths) {
  const hash = createHash('sha256')
  for (const path of paths.filter(path => existsSync(join(root, path)))) visit(path)
  return hash.digest('hex')

  function visit(path) {
    const stat = statSync(join(root, path))
    if (!stat.isDirectory()) return hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\n`)
    for (const name of readdirSync(join(root, path)).sort()) {
      if (!SKIPPED.has(name)) visit(join(path, name))
    }
  }
}

/** Of the contents, for the few files that git may touch without changing them. */
export function fingerprintOfContents(root, paths, ...more) {
  const hash = createHash('sha256').update(more.join('\n'))
  for (const path of paths.filter(path => existsSync(join(root, path)))) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)))
  }
  return hash.digest('hex')
}
