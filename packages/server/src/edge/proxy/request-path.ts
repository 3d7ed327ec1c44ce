// The request target that an app receives: in origin form, not decoded.

/** `undefined` if the target is neither a path nor an absolute URL. */
export function pathFor(target: string): string | undefined {
  if (target.startsWith('/')) return target
  const [origin] = /^https?:\/\/[^/?#]*/i.exec(target) ?? []
  if (origin === undefined) return undefined
  const rest = target.slice(origin.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
