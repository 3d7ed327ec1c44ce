import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { addProject } from '../../testing/rows.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { listEnvRows } from '../env/env.ts'
import { envTargets } from './060-env-targets.ts'

onEveryStore(store => {
  it('variables from before are for both environments and not secret', async () => {
    const { id } = await addProject(store())
    const { db } = store()
    await db.schema.dropTable('env_vars').execute()
    await sql`create table env_vars (project_id text not null references projects (id) on delete cascade,
      key text not null, sealed text not null, key_id text not null, scope text not null, updated_at bigint not null,
      constraint env_vars_pk primary key (project_id, key))`.execute(db)
    await sql`create index env_vars_by_key_id on env_vars (key_id)`.execute(db)
    await sql`insert into env_vars values (${id}, 'OLD', 'sealed', 'k', 'build', 7)`.execute(db)
    await envTargets(db as never)
    expect(await listEnvRows(db, id)).toEqual([
      {
        ...{ project_id: id, key: 'OLD', environment: 'both', branch: '' },
        ...{ sealed: 'sealed', key_id: 'k', scope: 'build', secret: 0, updated_at: 7 },
      },
    ])
    await db.deleteFrom('projects').where('id', '=', id).execute()
    expect(await listEnvRows(db, id)).toEqual([])
  })
})
