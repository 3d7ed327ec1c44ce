// What the edge is made of, and how much memory it may take.
import type { Apps } from '../core/base/apps.ts'
import type { IsScheduled } from '../core/crons/signature.ts'
import type { SiteReader } from '../core/projects/sites.ts'
import type { AccessLog } from '../core/stats/access.ts'
import type { Clock } from '../lib/clock.ts'
import type { Changes } from '../ports/changes/port.ts'
import type { Packs } from '../ports/packs/port.ts'
import type { Exchange } from './exchange.ts'
import type { Forms } from './forms/forms.ts'
import type { Gate } from './gate/gate.ts'
import type { AppTimeouts } from './proxy/timeouts.ts'
import type { ConcurrencyLimits } from './proxy/upstream.ts'

export interface EdgeParts {
  sites: SiteReader
  /** Reads the copies on the disk, while the database does not answer. */
  keptSites?: SiteReader | undefined
  changes: Changes
  packs: Packs
  clock: Clock
  gate: Gate
  /** Whether a request is one of the project's own scheduled jobs. */
  isScheduled?: IsScheduled
  /** Whether the platform makes the request for a picture of the site. The access log leaves it out. */
  isForPicture?(exchange: Exchange): boolean
  /** Counts a wrong path password across all processes. Returns true if there are too many. */
  countGuess?(key: string): Promise<boolean>
  forms?: Forms
  /** Receives an entry for every answer of a site. */
  log: AccessLog
  apps: Apps
  /** Called with a cache key and the number of cache entries that a change of this key dropped. */
  onEvicted?(key: string, count: number): void
  /** Called with a cache key that a visitor's request invalidated, so that other processes can drop their entries. */
  onInvalidated?(key: string): void
  /** Whether X-Forwarded-* headers from this address are believed. */
  isTrusted(address: string): boolean
  /** Called with every error. `exchange` is the request that failed because of the error, if there is one. */
  onError: (error: unknown, exchange?: Exchange) => void
  settings?: Partial<EdgeSettings>
}

export interface EdgeSettings {
  /** How many sites, and how many custom domains, are kept in memory: their rows, not their files. */
  sitesInMemory: number
  /** Memory for hot files, in bytes. */
  memoryBytes: number
  /** The size of the largest file that is kept in memory. */
  memoryFileBytes: number
  /** Memory for the indexes of open packs, in bytes. */
  indexBytes: number
  /** How many packs may be open at the same time. */
  openPacks: number
  /** How long the hashed files of a superseded deployment stay reachable, in milliseconds. */
  skewMs: number
  /** Memory for cached answers of server apps, in bytes. */
  cacheBytes: number
  /** Timeouts of requests to server apps, in milliseconds. */
  appTimeouts: AppTimeouts
  /** How many requests to server apps may be under way at the same time. */
  appConcurrency: ConcurrencyLimits
}

const MB = 1024 * 1024
export const defaultSettings: EdgeSettings = {
  sitesInMemory: 10_000,
  memoryBytes: 64 * MB,
  memoryFileBytes: 2 * MB,
  indexBytes: 16 * MB,
  openPacks: 256,
  skewMs: 24 * 3_600_000,
  cacheBytes: 64 * MB,
  appTimeouts: { answer: 60_000, idle: 300_000 },
  appConcurrency: { perApp: 1_000, inAll: 10_000 },
}
