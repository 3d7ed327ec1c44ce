// Derives the Content-Type of a file from its name.
import mime from 'mime'

const unknown = 'application/octet-stream'
const textual = /^(?:text\/.*|application\/(?:javascript|json|xml|.*\+json|.*\+xml)|image\/svg\+xml)$/

/** Returns the Content-Type for the extension of the file. Text types get a charset. */
export function contentType(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  const type = (dot < 0 ? null : mime.getType(name.slice(dot + 1))) ?? unknown
  return textual.test(type) ? `${type}; charset=utf-8` : type
}
