// Signs in to a database in the place of a client, and gives the connection away. The driver does the login, with the TLS and the ways
// to authenticate that it knows.
import type { Socket } from 'node:net'
import pg from 'pg'
import { optionsOf } from '../../lib/postgres-protocol.ts'
import { type AppDatabase, type SignedIn, SignInRefused } from './port.ts'

/** As the role of the database, with the settings that a client asked for in its start message. */
export const loginOf = ({ name, password }: AppDatabase, parameters: Record<string, string>) => ({
  ...{ user: name, database: name, password },
  options: optionsOf(parameters),
  application_name: parameters.application_name ?? '',
})

/** How sessions of svcd itself are named. */
export const ownName = { application_name: 'svcd' }

/** The client has not connected yet. */
export async function signIn(client: pg.Client): Promise<SignedIn> {
  const reports: Record<string, string> = {}
  let processId = 0
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    reports[parameterName] = parameterValue
  })
  client.connection.on('backendKeyData', ({ processID }) => {
    processId = processID
  })
  await client.connect().catch(error => {
    throw error instanceof pg.DatabaseError ? new SignInRefused(error) : error
  })
  // The server says nothing more before it is asked.
  const bytes = client.connection.stream as Socket
  for (const event of ['data', 'end', 'error', 'close']) bytes.removeAllListeners(event)
  // `close` follows.
  bytes.pause().on('error', () => undefined)
  return { bytes, processId, reports }
}
