// How many connections to databases may be open from outside: of a project, of an account, and of this process. So nobody can keep
// others from connecting.
import { limits } from '@svc/contract'
import { Fault } from '../../lib/fault.ts'

/** Of this process. */
const atOnce = 100

export interface Opened {
  projectId: string
  accountId: string
}

const open = new Set<Opened>()

export function requireRoom({ projectId, accountId }: Opened): void {
  const count = (isSame: (each: Opened) => boolean) => [...open].filter(isSame).length
  if (count(each => each.projectId === projectId) >= limits.tunnels)
    throw new Fault(
      'run_under_way',
      `${limits.tunnels} connections from outside are open already. Close one.`,
    )
  if (count(each => each.accountId === accountId) >= limits.tunnelsOfAccount)
    throw new Fault(
      'run_under_way',
      `Your account has ${limits.tunnelsOfAccount} connections to databases open already. Close one.`,
    )
  if (open.size >= atOnce)
    throw new Fault('unavailable', 'Too many connections to databases are open. Try again in a minute.')
}

/** Throws if there is no room. Call what it returns when the connection is over. */
export function enter(opened: Opened): () => void {
  requireRoom(opened)
  const own = { ...opened }
  open.add(own)
  return () => open.delete(own)
}
