// Which statements of a project's database took the most time.
import type { SlowStatement } from '@svc/contract'
import type { DatabaseParts } from '../base/platform.ts'
import type { ProjectScope } from '../orgs/rights.ts'
import { requireDatabase, startedServer } from './databases.ts'

export async function slowStatements(
  platform: DatabaseParts,
  project: ProjectScope,
): Promise<{ statements: SlowStatement[]; remedy: string | null }> {
  const row = await requireDatabase(platform, project)
  const server = await startedServer(platform)
  const { statements, remedy = null } = await server.slowStatements(row.id)
  return {
    statements: statements.map(({ meanMs, totalMs, ...each }) => ({
      ...each,
      mean_ms: meanMs,
      total_ms: totalMs,
    })),
    remedy,
  }
}
