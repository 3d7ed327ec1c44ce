// The rows of the change feed: changes by the transaction that wrote them, and the processes that follow them.
import { sql } from 'kysely'
import type pg from 'pg'
import type { Change } from '../../ports/changes/port.ts'
import type { Tx } from '../store.ts'
import { channel, trustMs } from './feed-times.ts'

export interface FeedRow {
  seq: number
  topic: string
  key: string
}

/** A change that this process committed. */
export interface Committed extends FeedRow {
  xid: number
}

interface Follower {
  id: string
  /** It has all changes of transactions before this one. */
  horizon: number
}

interface CaughtUp {
  rows: FeedRow[] | 'too many'
  /** All transactions before this one are over, so their changes were read. */
  horizon: number
}

/** The other processes that follow the changes. */
export interface Followers {
  trusted: Follower[]
  /** Whether a follower stopped to confirm lately, without saying goodbye. */
  hasLapsed: boolean
}

/** More rows than this are not read one by one. */
const rowsAtMost = 5_000
/** For so long a follower that confirms nothing may still be alive, and serve visitors without the database. */
const lapsedMs = 60_000

/** Writes a change in its transaction, and tells it to the listeners after the commit. */
export async function appendChange(tx: Tx, change: Change & { key: string }): Promise<Committed> {
  const { topic, key } = change
  const { rows } = await sql<Pick<Committed, 'seq' | 'xid'>>`
    with added as (
      insert into changes (topic, key, at, xid)
      values (${topic}, ${key}, ${Date.now()}, pg_current_xact_id()::text::bigint)
      returning seq, topic, key, xid
    )
    select seq, xid, pg_notify(${channel}, row_to_json(added)::text) from added`.execute(tx)
  const { seq, xid } = rows[0]!
  return { seq, xid, topic, key }
}

const oldestRunning = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint'

export async function startOfFeed(client: pg.Client): Promise<number> {
  const { rows } = await client.query(`select ${oldestRunning} as horizon`)
  return Number(rows[0].horizon)
}

/**
 * Reads the changes of all transactions that were not over at the last look, and says that this process has them. Numbers of
 * rows would not do as a cursor: a transaction may commit after another one that has a higher number.
 */
export async function catchUp(client: pg.Client, id: string, since: number): Promise<CaughtUp> {
  const read = await client.query(
    `select ${oldestRunning} as horizon,
       (select coalesce(json_agg(json_build_object('seq', seq, 'topic', topic, 'key', key) order by seq), '[]')
        from (select seq, topic, key from changes where xid >= $1 limit ${rowsAtMost + 1}) found) as changes`,
    [since],
  )
  const horizon = Number(read.rows[0].horizon)
  const rows = read.rows[0].changes as FeedRow[]
  await client.query(
    `insert into feed_followers (id, seen_at, horizon) values ($1, ${nowMs}, $2)
     on conflict (id) do update set seen_at = excluded.seen_at, horizon = excluded.horizon`,
    [id, horizon],
  )
  return { rows: rows.length > rowsAtMost ? 'too many' : rows, horizon }
}

export async function followersOf(client: pg.Client, id: string): Promise<Followers> {
  const { rows } = await client.query(
    `select id, horizon, ${nowMs} - seen_at as age from feed_followers where id <> $1 and seen_at > ${nowMs} - ${lapsedMs}`,
    [id],
  )
  const isTrusted = (row: { age: unknown }) => Number(row.age) < trustMs
  return {
    trusted: rows.filter(isTrusted).map(row => ({ id: row.id as string, horizon: Number(row.horizon) })),
    hasLapsed: !rows.every(isTrusted),
  }
}

export async function leaveFeed(client: pg.Client, id: string): Promise<void> {
  await client.query(`delete from feed_followers where id = $1 or seen_at < ${nowMs} - ${lapsedMs}`, [id])
}

/** The clock of the database, which all processes share. */
const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint'
