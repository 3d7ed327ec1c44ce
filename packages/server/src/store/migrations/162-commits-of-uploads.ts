// What the commit of an upload says and who wrote it, as the uploader reports it. Builds have their own.
import type { Kysely } from 'kysely'

export async function commitsOfUploads(db: Kysely<unknown>): Promise<void> {
  for (const column of ['commit_message', 'commit_author'])
    await db.schema.alterTable('deployments').addColumn(column, 'text').execute()
}
