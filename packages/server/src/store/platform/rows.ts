// What the platform keeps for itself.
import type { Generated } from 'kysely'
import type { Sealed } from '../../lib/seal.ts'

export interface ChangeRow {
  seq: Generated<number>
  topic: string
  key: string
  at: number
  /** The transaction that wrote it, with PostgreSQL. */
  xid?: number | null
}

/** A process that follows the changes, with PostgreSQL. */
export interface FeedFollowerRow {
  id: string
  seen_at: number
  horizon: number
}

/** A process of svcd, with PostgreSQL. */
export interface NodeRow {
  id: string
  /** Of its data directory. Several processes may share one. */
  node_id: string
  /** Host and port at which other nodes reach it. */
  address: string
  /** Separated by commas. */
  roles: string
  version: string
  started_at: number
  seen_at: number
}

/** Settings that wait for a new node. */
export interface NodeInviteRow {
  /** Derived from the code. */
  id: string
  sealed: string
  expires_at: number
}

/** A setting that an operator changed in the dashboard. */
export interface OperatorSettingRow extends Sealed {
  /** The name of the variable. */
  name: string
  changed_at: number
}

/** The key that opens the lists of the backups at a place. */
export interface BackupKeyRow extends Sealed {
  place: string
}

export interface JobRow {
  id: string
  kind: string
  /** At most one waiting job per kind and key. */
  key: string
  run_at: number
  attempts: number
  /** Claimed until this time by a worker; null while waiting. */
  claimed_until: number | null
  created_at: number
  /** What went wrong the last time. */
  error?: string | null
  /** When it was given up. Such a job runs again only if somebody asks for it. */
  failed_at?: number | null
  /** JSON, as the kind of the job says. Null in jobs of older servers, which have only the key. */
  payload?: string | null
  /** The fingerprints of the job tables that could not read the job, each followed by a space. */
  not_understood_by?: string | null
}

/** How a step of the sweep went the last time, on the node that ran last. */
export interface SweepStepRow {
  name: string
  ran_at: number
  took_ms: number
  /** Null if it has never succeeded. */
  succeeded_at: number | null
  /** Null if the last run succeeded. */
  error: string | null
}

/** What a check of the operator area found the last time. */
export interface CheckResultRow {
  name: string
  ok: number
  message: string
  advice: string | null
  checked_at: number
}

export interface RateLimitRow {
  key: string
  window_start: number
  count: number
}

export interface CounterRow {
  name: string
  value: number
}

/** The platform's own name among others, in its one row. */
export interface PlatformRow {
  only_row: 1
  id: string
  /** The key that the nodes share. Null before the first start. */
  key_id?: string | null
  /** The version of svcd that last started here. */
  version?: string | null
}

/** An entry of the audit log. */
export interface AuditRow {
  id: string
  /** Set if the entry is about how this account signs in. */
  account_id: string | null
  org_id: string | null
  project_id: string | null
  /** The login, kept as it was. */
  actor: string
  action: string
  target: string | null
  ip: string
  /** JSON object. */
  details: string
  created_at: number
}

/** The backups at one SVCD_BACKUP_URL. */
export interface BackupRow {
  /** The URL without its secrets. */
  place: string
  /** The process that makes a backup, until `held_until`. */
  holder: string
  held_until: number
  /** When the last backup began, however it ended. */
  began_at: number | null
  /** The schedule that `next_run_at` follows. */
  schedule: string | null
  next_run_at: number | null
  /** The last backup that is complete: when it ended, what it holds and what was sent for it. */
  good_at: number | null
  good_id: string | null
  good_bytes: number
  sent_bytes: number
  /** Parts of it that were damaged before. */
  damaged: number
  /** The backups that are kept. */
  snapshots: number
  /** Since the last good one: how many failed, the first of them, and why the last of them did. */
  failures: number
  failed_at: number | null
  error: string | null
}

/** The reading of all packs of a place. */
export interface ScrubRow {
  /** `storage` for what all nodes share, otherwise the id of the node whose disk it is. */
  place: string
  /** The name of the machine that reads. */
  host: string
  /** The process that reads, until `held_until`. */
  holder: string
  held_until: number
  /** When the current reading began. Null between readings. */
  began_at: number | null
  /** The last pack that was read. */
  read_to: string
  packs: number
  bytes: number
  /** When the last whole reading ended, and what it read. */
  ended_at: number | null
  last_packs: number
  last_bytes: number
  /** Damaged copies that were replaced, since the beginning. */
  repaired: number
  /** When a process last looked whether there is something to read here. */
  seen_at: number
}

export interface DamagedPackRow {
  place: string
  pack_id: string
  /** Words about what is damaged. */
  damage: string
  found_at: number
}
