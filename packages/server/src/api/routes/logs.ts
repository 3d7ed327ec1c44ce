// The logs of server apps, and the request log of sites.

import type { Platform, Rows } from '../../core/base/platform.ts'
import { type LogAnswer, readLogs } from '../../core/logs/logs.ts'
import { readRequests } from '../../core/logs/requests.ts'
import type { Handlers } from '../call.ts'

export const logRoutes = (platform: Rows & Pick<Platform, 'logs' | 'nodeId' | 'analytics'>) =>
  ({
    'GET /projects/:name/logs': async ({ project, query }): Promise<LogAnswer> =>
      await readLogs(platform, project, query),
    'GET /projects/:name/requests': ({ project, query }) => readRequests(platform, project, query),
  }) satisfies Partial<Handlers>
