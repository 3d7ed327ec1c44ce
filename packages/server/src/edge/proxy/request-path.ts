// The target of a request as it is written to an app: in origin form, and as the client wrote it.

/** Undefined where the target is neither a path nor an absolute address. */
export function pathFor(target: string): string | undefined {
  if (target.startsWith('/')) return target
  const [origin] = /^https?:\/\/[^/?#]*/i.exec(target) ?? []
  if (origin === undefined) return undefined
  const rest = target.slice(origin.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
