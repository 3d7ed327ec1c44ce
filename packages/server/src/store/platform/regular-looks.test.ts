// What is looked for at regular times costs as much as there is to do, however large the tables are.
import type { CompiledQuery } from 'kysely'
import { expect, it } from 'vitest'
import { noting, stepsOn } from '../../testing/query-costs.ts'
import { onEveryStore } from '../../testing/stores.ts'
import { deleteOldInstances, endAllOf, endForgottenStarts, listActive } from '../apps/instances.ts'
import { undeliveredInvoices } from '../billing/invoices.ts'
import { deleteOldDeliveries } from '../builds/github/deliveries.ts'
import { failInterrupted } from '../deployments/uploads.ts'
import { renewalsToAsk } from '../domains/renewals.ts'
import { forgetOldMail, formsWithMailDue } from '../forms/forms.ts'
import { deleteOldNotifications } from '../notifications/deliveries.ts'
import { endedShares } from '../shares/shares.ts'
import type { Db } from '../store.ts'

type Look = (db: Db) => Promise<unknown>

const looks: [what: string, table: string, look: Look][] = [
  ['uploads of a node', 'deployments', db => failInterrupted(db, { nodeId: 'node' }, 'lost')],
  ['old uploads', 'deployments', db => failInterrupted(db, { startedBefore: 1 }, 'lost')],
  ['instances of a node', 'app_instances', db => listActive(db, 'node')],
  ['instances of a node that starts', 'app_instances', db => endAllOf(db as never, 'node', 'lost', 1)],
  ['forgotten starts', 'app_instances', db => endForgottenStarts(db as never, 'node', 1, 1)],
  ['old instances', 'app_instances', db => deleteOldInstances(db, 1)],
  ['forms with mail', 'submissions', formsWithMailDue],
  ['old mail', 'submissions', db => forgetOldMail(db, 1)],
  ['ended shares', 'projects', db => endedShares(db, 1, 1, 10)],
  ['undelivered invoices', 'invoices', db => undeliveredInvoices(db, 10)],
  ['certificates whose authority is asked', 'certificates', db => renewalsToAsk(db, 1, 10)],
  ['old notifications', 'notification_deliveries', db => deleteOldNotifications(db, 1)],
  ['old deliveries of GitHub', 'github_deliveries', db => deleteOldDeliveries(db, 1)],
]

/** Indexes of the rows in question alone. To read all of them is to read what there is to do. */
const ofTheseRows =
  /USING (COVERING )?INDEX (deployments_uploading|app_instances_active|submissions_mail_due|projects_expiring|invoices_undelivered)$/

onEveryStore(store => {
  it.each(looks)('a look for %s runs, and reads no whole table', async (_, table, look) => {
    const noted: CompiledQuery[] = []
    await look(noting(store().db, noted))
    const about = noted.filter(query => query.sql.includes(`"${table}"`))
    expect(about.length).toBeGreaterThan(0)
    // PostgreSQL reads small tables as a whole, whatever indexes there are.
    if (store().engine === 'postgres') return
    for (const query of about)
      for (const step of await stepsOn(store().db, query, [table]))
        if (step.startsWith('SCAN')) expect(step).toMatch(ofTheseRows)
  })
})
