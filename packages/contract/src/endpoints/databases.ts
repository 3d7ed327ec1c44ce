// The PostgreSQL database of a project.
import { z } from 'zod'
import type { Endpoints } from '../endpoint.ts'
import { limits } from '../limits.ts'
import * as s from '../shapes.ts'

const ofBranch = z.string().max(255).optional().describe('That of the preview of this branch')

export const databaseEndpoints = {
  'GET /projects/:name/database': {
    summary: 'The PostgreSQL database of a project',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({
      database: s.database.nullable(),
      removed: s.removedDatabase.nullable().describe('The one that was removed last, while it is kept'),
      previews: z.array(s.previewDatabase).describe('Those of branches'),
    }),
    errors: ['not_found'],
  },
  'POST /projects/:name/database': {
    summary: 'Create the database of a project, or bring the removed one back',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['database.create', 'database.restore'],
    body: z.object({
      restore: z.boolean().optional().describe('True: bring back the one that was removed last'),
    }),
    status: 201,
    answer: z.object({ database: s.database, warnings: z.array(z.string()), restarting: s.restarting }),
    errors: ['name_taken', 'not_found', 'quota_exceeded', 'unavailable'],
    note: 'The live server app and its release command get the variable `DATABASE_URL` at their next start. Each preview gets an empty database of its own. With `restore`, a database that the project has counts as removed.',
  },
  'PATCH /projects/:name/database': {
    summary: 'Say what the databases of new previews begin with',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['database.update'],
    body: z.object({
      preview_data: s.previewData,
      preview_mask: s.previewMask
        .nullable()
        .optional()
        .describe('SQL for copies. Null: none. Without it: as it is'),
    }),
    answer: z.object({ database: s.database }),
    errors: ['not_found'],
    note: 'With `copy`, the statements of `preview_mask` run in each new copy, as its role, before the preview gets its password. If they fail, the copy is removed and the deployment fails with the error.',
  },
  'DELETE /projects/:name/database': {
    summary: 'Remove the database of a project; it is kept for 7 days',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['database.delete'],
    body: z.object({ confirm: z.string().max(100).describe('The name of the project') }),
    answer: s.ok.extend({ removed: s.removedDatabase, restarting: s.restarting }),
    errors: ['invalid_request', 'not_found'],
    note: 'Nobody can connect any more. One that was removed before is deleted for good.',
  },
  'GET /projects/:name/database/dump': {
    summary: 'A dump of the database, which pg_restore reads',
    access: 'user',
    role: 'admin',
    rateLimits: ['exports'],
    answer: 'application/octet-stream',
    errors: ['not_found', 'unavailable'],
    note: 'Made by `pg_dump --format=custom` as the role of the database. The connection breaks off if the dump cannot be completed.',
  },
  'POST /projects/:name/database/load': {
    summary: 'Replace what the database holds by a dump',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes', 'exports'],
    audit: ['database.load'],
    query: z.object({ confirm: z.string().max(100).describe('The name of the project') }),
    rawBody: ['application/octet-stream'],
    answer: z.object({ database: s.database, removed: s.removedDatabase, restarting: s.restarting }),
    errors: [
      'invalid_archive',
      'invalid_request',
      'not_found',
      'payload_too_large',
      'quota_exceeded',
      'run_under_way',
      'unavailable',
    ],
    note: 'The dump is as `pg_dump --format=custom` makes it, and fills a new database with the rights of its role alone. When it is complete, the new database takes the place of the one before, which counts as removed: `POST` with `restore` brings it back. It ends with the connection, and after an hour; then nothing was changed.',
  },
  'GET /projects/:name/database/tunnel': {
    summary: 'Connect to the database from outside',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['database.connect'],
    query: z.object({ branch: ofBranch }),
    status: 101,
    answer: "PostgreSQL's protocol",
    errors: ['not_found', 'quota_exceeded', 'run_under_way', 'suspended', 'unavailable'],
    note: `The platform signs in as the role of the database: the client sends its start message, and is asked for no password. TLS and GSSAPI are not offered inside. \`svc db url\` listens on this machine and makes such a connection for each of its clients. It ends when the caller loses the right to it, after ${limits.tunnelIdleMinutes} minutes without a byte, and after ${limits.tunnelHours} hours. ${limits.tunnels} at a time, and ${limits.tunnelsOfAccount} of an account.`,
  },
  'GET /projects/:name/database/queries': {
    summary: 'What the connections of the database do now, the longest first',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({ connections: z.number().int(), queries: z.array(s.databaseQuery) }),
    errors: ['not_found', 'unavailable'],
  },
  'GET /projects/:name/database/slow': {
    summary: 'The statements of the database that took the most time',
    access: 'user',
    role: 'member',
    rateLimits: [],
    answer: z.object({
      statements: z.array(s.slowStatement).describe('At most 20, the one with the most time first'),
      remedy: z
        .string()
        .nullable()
        .describe('The server does not measure statements, and what its operator can do. Null: it does'),
    }),
    errors: ['not_found', 'unavailable'],
    note: 'As `pg_stat_statements` of the server has counted since it was last reset: of production, and of the role of the project. Only statements that read or write rows, without their values.',
  },
  'GET /projects/:name/database/tables': {
    summary: 'The tables and views of the database',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    query: z.object({ branch: ofBranch }),
    answer: z.object({
      tables: z.array(s.databaseTable).describe('At most 500, by schema and name. Partitions are left out'),
      more: z.boolean().describe('There are others'),
    }),
    errors: ['not_found', 'not_readable', 'quota_exceeded', 'run_under_way', 'suspended', 'unavailable'],
  },
  'POST /projects/:name/database/rows': {
    summary: 'Read some rows of a table or a view of the database',
    access: 'user',
    role: 'admin',
    rateLimits: ['writes'],
    audit: ['database.read'],
    body: z.object({
      table: s.nameInDatabase,
      schema: s.nameInDatabase.default('public'),
      limit: z.number().int().min(1).max(limits.tableRows.max).default(limits.tableRows.default),
      offset: z.number().int().min(0).max(limits.tableOffset).default(0).describe('How many rows to skip'),
      branch: ofBranch,
    }),
    answer: s.tableRows,
    errors: ['not_found', 'not_readable', 'quota_exceeded', 'run_under_way', 'suspended', 'unavailable'],
    note: 'Read as the role of the database, in a transaction that cannot write, within 5 seconds. Names without a schema are found nowhere but in `pg_catalog`, so a view whose functions need another `search_path` fails.',
  },
} as const satisfies Endpoints
