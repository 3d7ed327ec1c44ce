// What is done to a cluster, and how it is undone.
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres } from '@svc/server/dist/store/postgres/store.js'
import { sql } from 'kysely'
import type { Cluster } from './cluster.ts'

interface Fault {
  begin(cluster: Cluster, node: number): unknown
  end(cluster: Cluster, node: number): unknown
}

const nothing = () => undefined

/** The storage answers as `mishap` says. */
const store = (mishap: Cluster['s3']['mishap']): Fault => ({
  begin: ({ s3 }) => {
    s3.mishap = mishap
  },
  end: ({ s3 }) => {
    s3.mishap = nothing
  },
})

export const faults = {
  'a node is killed': {
    begin: (cluster, node) => cluster.killNode(node),
    end: (cluster, node) => cluster.startNode(node),
  },
  'the database is killed': {
    begin: ({ database }) => database.do('kill'),
    end: ({ database }) => database.do('start'),
  },
  'the database takes no new connections': {
    begin: ({ database }) => database.do('stall'),
    end: ({ database }) => database.do('thaw'),
  },
  'the database is frozen': {
    begin: ({ database }) => database.do('freeze'),
    end: ({ database }) => database.do('thaw'),
  },
  'the database ends all connections': {
    begin: ({ database }) => terminateAll(database.url),
    end: nothing,
  },
  'connections to the database are reset': {
    begin: ({ nodes }) => nodes.forEach(({ proxy }) => void proxy.reset()),
    end: nothing,
  },
  'the database refuses one node': {
    begin: ({ nodes }, node) => nodes[node]!.proxy.refuse(true),
    end: ({ nodes }, node) => nodes[node]!.proxy.refuse(false),
  },
  'connections of one node stand still': {
    begin: ({ nodes }, node) => nodes[node]!.proxy.freeze(),
    end: ({ nodes }, node) => thaw(nodes[node]!.proxy),
  },
  'connections that one node has stand still, new ones do not': {
    begin: ({ nodes }, node) => nodes[node]!.proxy.freeze({ onlyThese: true }),
    end: ({ nodes }, node) => thaw(nodes[node]!.proxy),
  },
  'the storage is slow': store(() => sleep(400).then(nothing)),
  'the storage fails half of the time': store(() => (Math.random() < 0.5 ? 503 : undefined)),
  'the storage loses half of its answers': store(() => (Math.random() < 0.5 ? 'lose-answer' : undefined)),
  'the storage is gone': store(() => 'drop'),
} satisfies Record<string, Fault>

export type FaultName = keyof typeof faults

/** A network that stood still for long has lost its connections. */
function thaw(proxy: Cluster['nodes'][number]['proxy']): void {
  proxy.thaw()
  proxy.reset()
}

async function terminateAll(url: string): Promise<void> {
  const { db, close } = await openPostgres(url, () => undefined)
  try {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()`.execute(
      db,
    )
  } finally {
    await close()
  }
}
