// Lets the platform limit forms: stores how many bytes the submissions to a form take, and who agreed to get its emails.
import { type Kysely, sql } from 'kysely'

export async function bounds(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('forms')
    .addColumn('stored_bytes', 'bigint', c => c.notNull().defaultTo(0))
    .execute()
  await sql`update forms set stored_bytes = coalesce((
    select sum(length(submissions.fields)) from submissions
    where submissions.project_id = forms.project_id and submissions.form = forms.name), 0)`.execute(db)
  await schema
    .createTable('mail_recipients')
    .addColumn('owner_id', 'text', c => c.notNull())
    .addColumn('address', 'text', c => c.notNull())
    .addColumn('token_hash', 'text', c => c.notNull().unique())
    .addColumn('asked_at', 'bigint', c => c.notNull())
    .addColumn('confirmed_at', 'bigint')
    .addPrimaryKeyConstraint('mail_recipients_pk', ['owner_id', 'address'])
    .execute()
  // Addresses that already get emails go on getting them.
  await sql`insert into mail_recipients (owner_id, address, token_hash, asked_at, confirmed_at)
    select distinct coalesce(projects.org_id, projects.account_id), lower(forms.notify),
      coalesce(projects.org_id, projects.account_id) || ' ' || lower(forms.notify),
      forms_created.at, forms_created.at
    from forms
    join projects on projects.id = forms.project_id
    join (select max(created_at) as at from forms) as forms_created on true
    where forms.notify not in ('on', 'off')`.execute(db)
}
