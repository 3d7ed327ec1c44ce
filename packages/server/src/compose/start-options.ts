// The ways in which a platform is started.
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import type { MainLink } from '../edge-workers/main-link.ts'
import type { AlarmClock } from '../lib/clock.ts'
import type { Stops } from './stops.ts'

export const roles = ['api', 'edge', 'runner', 'builder', 'worker'] as const
export type Role = (typeof roles)[number]

/** The svcd whose place this one takes. */
export interface Predecessor {
  /** Resolves when it has ended its jobs, builds and apps, and answered its last requests. */
  release(because: 'serving' | 'migrating'): Promise<void>
}

export interface StartOptions {
  log: Logger
  roles?: readonly Role[]
  /** Whether it listens also without the roles `api` and `edge`: for /health, and to pass requests on to other nodes. */
  listens?: boolean | undefined
  clock?: AlarmClock
  /** Set in an edge worker: the link to the main process. */
  link?: MainLink
  /** Set if another svcd serves the same data until this one is ready. */
  predecessor?: Predecessor | undefined
  /** Whether a successor can take the place of this svcd. */
  canRestart?: boolean
}

/** What the steps of a start go by. */
export interface PlatformStart extends StartOptions {
  settings: Settings
  clock: AlarmClock
  /** Stops what the steps have begun. */
  stops: Stops
  has(role: Role): boolean
}
