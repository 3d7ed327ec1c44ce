// Content types by file name, and which of them are worth compressing.
import mime from 'mime'

const unknown = 'application/octet-stream'
const textual = /^(?:text\/.*|application\/(?:javascript|json|xml|.*\+json|.*\+xml)|image\/svg\+xml)$/
/** Binary formats that are not compressed in themselves. */
const loose =
  /^(?:application\/(?:wasm|vnd\.ms-fontobject|x-font-ttf)|font\/(?:ttf|otf|collection)|image\/(?:bmp|vnd\.microsoft\.icon|x-icon))$/

/** With its charset where it is text. */
export function contentType(path: string): string {
  const type = bareType(path)
  return textual.test(type) ? `${type}; charset=utf-8` : type
}

/** Whether compressed variants of such a file may exist. */
export function isCompressible(path: string): boolean {
  const type = bareType(path)
  return textual.test(type) || loose.test(type)
}

function bareType(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return (dot < 0 ? null : mime.getType(name.slice(dot + 1))) ?? unknown
}
