// A request at the gate of a protected site.
import type { Guard, PasswordGuard } from '../../core/projects/sites.ts'
import type { Exchange } from '../exchange.ts'

export interface Visit<G extends Guard = Guard> {
  exchange: Exchange
  guard: G
}

export const asksPassword = (visit: Visit): visit is Visit<PasswordGuard> => visit.guard.mode === 'password'
