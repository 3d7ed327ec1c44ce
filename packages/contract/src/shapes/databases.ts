// The PostgreSQL database of a project.
import { z } from 'zod'
import { limits } from '../limits.ts'
import { timestamp } from './basics.ts'

export const previewData = z.enum(['empty', 'copy']).describe('`copy`: what the database of production holds')

export const previewMask = z.string().min(1).max(limits.previewMaskLength)

export const database = z.object({
  name: z.string().describe('Of the database and of its role'),
  status: z
    .enum(['creating', 'ready', 'read_only', 'closed'])
    .describe(
      '`creating`: not complete yet; create it again. `read_only`: larger than `size_bytes`. `closed`: more than a tenth larger; nobody can connect',
    ),
  size_bytes: z.number().int().describe('How large it may be'),
  used_bytes: z.number().int().nullable().describe('How large it was when it was measured last'),
  connections: z.number().int().describe('How many connections it may have at a time'),
  variable: z
    .enum(['set', 'own'])
    .describe('`own`: the app gets a variable DATABASE_URL of the project instead of that of this database'),
  preview_data: previewData.describe('What new databases of previews begin with'),
  preview_mask: z.string().nullable().describe('SQL that runs in such a copy before anyone sees it'),
  created_at: timestamp,
})

export const removedDatabase = z.object({
  name: z.string(),
  removed_at: timestamp,
  kept_until: timestamp.describe('Until then, `POST` with `restore` brings it back'),
})

export const previewDatabase = database
  .pick({ name: true, status: true, size_bytes: true, used_bytes: true, created_at: true })
  .extend({ branch: z.string() })

export const databaseQuery = z.object({
  seconds: z.number().int().describe('For how long it has been running'),
  state: z.string(),
  query: z.string().describe('Its first 500 characters'),
})

export const slowStatement = z.object({
  query: z.string().describe('Its first 500 characters. Values are `$1` or `?`, comments are left out'),
  calls: z.number().int(),
  mean_ms: z.number(),
  total_ms: z.number(),
  rows: z.number().int().describe('That it returned or changed'),
  share: z.number().describe('Of the time of all statements of the database, from 0 to 1'),
})

export const nameInDatabase = z
  .string()
  .min(1)
  .max(63)
  .refine(name => !name.includes('\0'), 'must not contain a NUL character')

export const databaseTable = z.object({
  schema: z.string(),
  name: z.string(),
  kind: z.enum(['table', 'view', 'materialized view', 'foreign table']),
  rows: z.number().int().nullable().describe('As PostgreSQL estimates. Null: it does not know'),
  bytes: z.number().int().nullable().describe('With its indexes. Null: it has none of its own, or is locked'),
})

export const tableRows = z.object({
  columns: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      key: z.boolean().describe('Part of the primary key, by which the rows are in order'),
    }),
  ),
  more_columns: z.boolean().describe('The table has more than 100 columns'),
  rows: z
    .array(
      z.array(
        z.union([
          z.string(),
          z.null(),
          z.object({ start: z.string(), bytes: z.number().int().describe('Of the whole value, as stored') }),
        ]),
      ),
    )
    .describe('Values as PostgreSQL writes them. Long ones have only their `start`'),
  more: z.boolean().describe('Rows follow'),
})

export type Database = z.infer<typeof database>
export type PreviewDatabase = z.infer<typeof previewDatabase>
export type RemovedDatabase = z.infer<typeof removedDatabase>
export type DatabaseQuery = z.infer<typeof databaseQuery>
export type DatabaseTable = z.infer<typeof databaseTable>
export type TableRows = z.infer<typeof tableRows>
export type SlowStatement = z.infer<typeof slowStatement>
