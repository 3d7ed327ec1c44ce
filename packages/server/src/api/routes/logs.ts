// The logs of server apps.
import { type LogAnswer, readLogs } from '../../core/logs/logs.ts'
import type { Platform, Rows } from '../../core/platform/platform.ts'
import type { Handlers } from '../call.ts'

export const logRoutes = (platform: Rows & Pick<Platform, 'logs' | 'nodeId'>) =>
  ({
    'GET /projects/:name/logs': async ({ project, query }): Promise<LogAnswer> =>
      await readLogs(platform, project, query),
  }) satisfies Partial<Handlers>
