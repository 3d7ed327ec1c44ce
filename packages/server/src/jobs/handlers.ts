// The function of each kind of job. The type makes a missing function a compile error. A function that returns a time is run
// again at that time.

import { publicFolders } from '../core/apps/assets.ts'
import type { JobKind, JobPayload } from '../core/base/jobs.ts'
import type { BuildParts, FormMailParts, Platform } from '../core/base/platform.ts'
import { deliverInvoice, type RenderInvoice } from '../core/billing/invoices/deliver.ts'
import { sendBillingMail } from '../core/billing/mails.ts'
import { followHostBranch } from '../core/builds/git-hosts/deliveries.ts'
import { type MakeVariants, variantsId } from '../core/deployments/archive/variants.ts'
import { sendFormMail } from '../core/forms/notification.ts'
import { sendPasswordMail } from '../core/identity/password-reset.ts'
import { sendSecurityMail } from '../core/identity/security-events.ts'
import { type MakeBackup, makeDueBackup, sendBackupMail } from '../core/platform/backups.ts'
import { removeDiscardedPacks } from '../core/projects/removal.ts'
import { findToCompress, storedAmong } from '../store/deployments/stored.ts'

export interface JobContext {
  platform: FormMailParts & BuildParts & Pick<Platform, 'backups' | 'domain' | 'packs'>
  compress: MakeVariants
  /** Makes the PDF of an invoice. */
  renderInvoice: RenderInvoice
  makeBackup: MakeBackup
  signal: AbortSignal
}

type Handler<K extends JobKind> = (
  context: JobContext,
  payload: JobPayload<K>,
) => Promise<number | undefined> | Promise<void>

export const handlers: { [K in JobKind]: Handler<K> } = {
  async compress({ platform, compress, signal }, { id }) {
    const { store } = platform
    const isStored = async () => (await storedAmong(store.db, [id])).has(id)
    const deployment = await findToCompress(store.db, id)
    if (deployment === undefined || !(await isStored())) return
    const { kind, framework, projectName } = deployment
    await compress(id, { folders: kind === 'server' ? publicFolders(framework) : undefined, signal })
    signal.throwIfAborted()
    // The deployment may have been deleted meanwhile. Then delete its variants too.
    if (!(await isStored())) await platform.packs.delete(variantsId(id))
    // Edges then look for the variants at the next request.
    await store.transact((_tx, changed) => changed({ topic: 'project', key: projectName }))
  },
  backup: ({ platform, makeBackup, signal }, { place }) => makeDueBackup(platform, makeBackup, place, signal),
  'backup-mail': ({ platform }, { place }) => sendBackupMail(platform, place),
  'billing-mail': ({ platform }, { id }) => sendBillingMail(platform, id),
  'follow-branch': ({ platform }, change) => followHostBranch(platform, change),
  'form-mail': ({ platform }, form) => sendFormMail(platform, form),
  invoice: ({ platform, renderInvoice }, { id }) => deliverInvoice(platform, renderInvoice, id),
  'password-mail': ({ platform }, { login }) => sendPasswordMail(platform, login),
  'security-mail': ({ platform }, { id }) => sendSecurityMail(platform, id),
  'remove-packs': ({ platform, signal }) => removeDiscardedPacks(platform, signal),
}
