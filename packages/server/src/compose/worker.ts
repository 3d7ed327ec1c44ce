// Starts the worker: jobs, compression, certificates.
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import type { Platform } from '../core/base/platform.ts'
import type { DataDirectory } from '../data-directory.ts'
import { keepBilling } from '../jobs/billing.ts'
import { keepCertificates } from '../jobs/certificates.ts'
import { watchClock } from '../jobs/clock.ts'
import { startProofChecks } from '../jobs/domain-proofs.ts'
import { keepGitHostsInStep } from '../jobs/git-hosts.ts'
import { sendNotifications } from '../jobs/notifications.ts'
import { makePictures } from '../jobs/pictures.ts'
import { startWorker } from '../jobs/worker.ts'
import { createCompressor } from '../threads/compress.ts'
import { createInvoiceRenderer } from '../threads/render-invoice.ts'
import { backupMaker } from './backups.ts'
import { packsSettings } from './ports.ts'

export function runWorker(
  platform: Platform,
  settings: Settings,
  data: DataDirectory,
  log: Logger,
): () => Promise<void> {
  const compressor = createCompressor(packsSettings(settings, data))
  const invoices = createInvoiceRenderer()
  const threads = {
    compress: compressor.makeVariants,
    renderInvoice: invoices.render,
    makeBackup: backupMaker(settings),
  }
  const clock = watchClock(platform, log)
  const worker = startWorker(platform, threads, log)
  const certificates = platform.issuing && keepCertificates(platform, platform.issuing, log)
  const billing = keepBilling(platform, log)
  const looks = platform.domainProof === 'always' ? startProofChecks(platform, log) : undefined
  const gitHosts = keepGitHostsInStep(platform, log)
  const notifications = sendNotifications(platform, log)
  const pictures = platform.takePicture && makePictures(platform, platform.takePicture, log)
  return async () => {
    await pictures?.stop()
    await notifications.stop()
    await billing?.stop()
    await gitHosts.stop()
    await looks?.stop()
    await certificates?.stop()
    await worker.stop()
    await clock.stop()
    await compressor.close()
    await invoices.close()
  }
}
