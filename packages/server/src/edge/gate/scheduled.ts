// Scheduled jobs of a project. Their requests are signed and pass the gate of the project's site.
import type { IncomingMessage } from 'node:http'
import type { IsScheduled } from '../../core/crons/signature.ts'

export async function isSignedJob(
  req: IncomingMessage,
  projectId: string,
  isScheduled: IsScheduled,
): Promise<boolean> {
  const { 'x-svc-signature': signature, 'x-svc-timestamp': timestamp } = req.headers
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return false
  return await isScheduled(projectId, { timestamp, method: req.method!, path: req.url! }, signature)
}
