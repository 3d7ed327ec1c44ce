// A short session that only reads, as the role of a database. What it reads may be a view that runs functions of strangers: these may
// take long, say much, raise errors and change settings. They cannot write, and what they take is bounded from outside.
import type { Socket } from 'node:net'
import pg from 'pg'
import { ReadRefused, SignInRefused } from '../port.ts'

const withinMs = 10_000
/** An answer has at most about 2 MB. Notices and errors count, too. */
const receivedAtMost = 8 * 1024 * 1024
const longestWords = 300

/** A function cannot make a transaction writable again. Names are looked up nowhere but among those of PostgreSQL. */
const begin = [
  'begin transaction isolation level read committed read only',
  'set local search_path = pg_catalog, pg_temp',
  `set local statement_timeout = '5s'`,
  `set local lock_timeout = '2s'`,
  'set local client_min_messages = error',
  'set local standard_conforming_strings = on',
  'set local bytea_output = hex',
  'set local datestyle = ISO',
  'set local intervalstyle = postgres',
  `set local timezone = 'UTC'`,
  'set local synchronize_seqscans = off',
  'set local max_parallel_workers_per_gather = 0',
].join('; ')

type EndSession = (processId: number) => Promise<void>

/** Ends the connection. Throws `ReadRefused` with the words of PostgreSQL. `endSession` also ends one that does not listen. */
export async function reading<T>(
  client: pg.Client,
  endSession: EndSession,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  await client.connect().catch(error => {
    throw error instanceof pg.DatabaseError ? new SignInRefused(error) : error
  })
  const processId = (client as unknown as { processID: number }).processID
  let why: string | undefined
  const stop = (reason: string) => {
    why ??= reason
    bytes.destroy()
    // A function can catch that its statement was cancelled, and go on.
    endSession(processId).catch(() => undefined)
  }
  const bytes = client.connection.stream as Socket
  const before = bytes.bytesRead
  bytes.on('data', () => bytes.bytesRead - before > receivedAtMost && stop('it said too much'))
  const timer = setTimeout(() => stop('it took too long'), withinMs)
  try {
    await client.query(begin)
    return await work(client)
  } catch (error) {
    if (why !== undefined) throw new ReadRefused(why, { cause: error })
    if (error instanceof pg.DatabaseError) throw new ReadRefused(words(error), { cause: error })
    throw error
  } finally {
    clearTimeout(timer)
    if (why === undefined) await client.end()
  }
}

const words = ({ message, code }: pg.DatabaseError): string =>
  code === '57014' ? 'it took too long' : message.replace(/\s+/g, ' ').slice(0, longestWords)
