// Starts the server of a deployment, and says why it did not start as a fault of the deployment.
import { Fault } from '../../lib/fault.ts'
import { DidNotStart, releaseWithinMs } from '../base/apps.ts'
import type { Platform } from '../base/platform.ts'

export async function startApp(
  platform: Pick<Platform, 'apps'>,
  projectId: string,
  deploymentId: string,
  hasCommands = false,
): Promise<void> {
  try {
    await platform.apps.start({ projectId, deploymentId }, hasCommands ? releaseWithinMs : 0)
  } catch (error) {
    if (!(error instanceof DidNotStart)) throw error
    throw new Fault('deployment_failed', error.details, { cause: error })
  }
}
