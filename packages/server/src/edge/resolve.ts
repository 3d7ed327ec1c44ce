// Maps the path of a request to a file of a deployment.
import type { Target } from './targets.ts'

type Resolution<File> = { to: 'file'; file: File } | { to: 'redirect'; location: string } | { to: 'missing' }

const missing = { to: 'missing' } as const

/** Files at a deployment's root that configure the platform. They are never served. */
const steering = new Set(['_redirects', '_headers', 'Procfile'])

export function resolve<File>(target: Target, find: (name: string) => File | undefined): Resolution<File> {
  const lookUp = (name: string) => (isServed(name) ? find(name) : undefined)
  const name = target.path.slice(1)

  if (target.path.endsWith('/')) {
    const index = lookUp(`${name}index.html`)
    if (index !== undefined) return { to: 'file', file: index }
    if (name !== '' && lookUp(`${name.slice(0, -1)}.html`) !== undefined) {
      return redirect(target.written.replace(/(?:\/|%2f)$/i, ''), target.query)
    }
    return missing
  }

  const file = lookUp(name) ?? lookUp(`${name}.html`)
  if (file !== undefined) return { to: 'file', file }
  if (lookUp(`${name}/index.html`) !== undefined) return redirect(`${target.written}/`, target.query)
  return missing
}

/** Returns false for files that configure the platform, for `_svc/`, and for hidden files and folders except `.well-known`. */
export function isServed(name: string): boolean {
  if (steering.has(name) || name.startsWith('_svc/')) return false
  if (!name.includes('.')) return true
  return name.split('/').every(segment => !segment.startsWith('.') || segment === '.well-known')
}

/** Returns a redirect within the site. A location that begins with `//` or `/\` would lead browsers to another host. */
function redirect(path: string, query: string): { to: 'redirect'; location: string } {
  const safe = path.replaceAll('\\', '%5C').replace(/^\/+/, '/')
  return { to: 'redirect', location: safe + query }
}
